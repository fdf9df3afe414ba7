"""The lenses that come with the program, in the order menus list them."""

from forensicviewer.core.lens.compression import ERROR_LEVEL, TABLE_MISFIT
from forensicviewer.core.lens.filters import CONSTRAINED, NOISE, RICH_MODEL, SOBEL
from forensicviewer.core.lens.frequency import BLOCK_DCT, FFT

LENSES = (ERROR_LEVEL, NOISE, RICH_MODEL, CONSTRAINED, SOBEL, BLOCK_DCT, FFT, TABLE_MISFIT)
