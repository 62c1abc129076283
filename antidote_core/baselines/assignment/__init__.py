"""Fair assignment to given centres as linear and mixed-integer programs."""
