"""What probe and signal experiments show: degradation, dilation, imprints, published laws."""
