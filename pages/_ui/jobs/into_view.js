// Streamlit has no call for either: to scroll the page, and to close the drawer that covers it on a
// narrow screen.
const NARROW = 768;
let seen = null;

export default function ({ data }) {
  const first = seen === null;
  if (data.pressed === seen) return;
  seen = data.pressed;
  if (first && !data.pressed) return;
  document.querySelector('[data-testid=stMain]')?.scrollTo({ top: 0 });
  const drawer = document.querySelector('[data-testid=stSidebar][data-collapsed=false]');
  if (drawer && window.innerWidth < NARROW) {
    document.querySelector('[data-testid=stSidebarCollapseButton] button')?.click();
  }
}
