"""Kernels for CUDA tensors, in Triton. Nothing here is imported before such a tensor arrives."""
