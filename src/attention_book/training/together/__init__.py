"""Models of one shape trained together on one device, and an ensemble that teaches one."""
