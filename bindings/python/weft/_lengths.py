# SPDX-License-Identifier: BSD-3-Clause
"""Lengths that are products of small primes."""

import operator


def _is_smooth(n, primes):
    for p in primes:
        while n % p == 0:
            n //= p
    return n == 1


def _checked(target, real):
    target = operator.index(target)
    if target < 0:
        raise ValueError("target cannot be negative")
    return target, (2, 3, 5) if real else (2, 3, 5, 7, 11)


def _products(primes, limit):
    products = [1]
    for p in primes:
        grown = list(products)
        while grown:
            grown = [q * p for q in grown if q * p <= limit]
            products += grown
    return products


def next_fast_len(target, real=False):
    """The smallest length from ``target`` on without prime factors above 11 (5 where ``real``).

    >>> weft.fft.next_fast_len(10007)
    10080
    """
    target, primes = _checked(target, real)
    if target <= 6 or _is_smooth(target, primes):
        return target
    return min(q for q in _products(primes, 2 * target) if q >= target)


def prev_fast_len(target, real=False):
    """The largest length up to ``target`` without prime factors above 11 (5 where ``real``).

    >>> weft.fft.prev_fast_len(10007)
    10000
    """
    target, primes = _checked(target, real)
    if target <= 6 or _is_smooth(target, primes):
        return target
    return max(_products(primes, target))
