# SPDX-License-Identifier: GPL-2.0
"""What tools/bench/steering is made of."""
