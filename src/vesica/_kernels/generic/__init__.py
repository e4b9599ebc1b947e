"""The kernels in array-API code: any library, any device, with gradients. They are the specification."""
