"""A translator in the forms that other programs read: one file for the page, ONNX graphs, a folder of CTranslate2."""
