/**
 * Tails of the distributions that tests compare with. Formulas: Abramowitz and Stegun, 6.5.29 and 6.5.31 (incomplete
 * gamma), 6.1.36 by way of Lanczos (gamma); Kolmogorov's distribution as in Stephens, JRSS B 32 (1970).
 */
const LANCZOS = [
  676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
  -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
] as const;
const TERMS = 500;
const EPSILON = 1e-14;

function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const at = x - 1;
  const sum = LANCZOS.reduce((total, part, index) => total + part / (at + index + 1), 0.9999999999998099);
  const t = at + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (at + 0.5) * Math.log(t) - t + Math.log(sum);
}

/** Regularized upper incomplete gamma function Q(a, x); a above 0, x at least 0. */
export function upperGamma(a: number, x: number): number {
  if (x <= 0) return 1;
  const scale = Math.exp(-x + a * Math.log(x) - logGamma(a));
  return x < a + 1 ? 1 - scale * lowerSeries(a, x) : scale * upperFraction(a, x);
}

function lowerSeries(a: number, x: number): number {
  let term = 1 / a;
  let sum = term;
  for (let n = 1; n < TERMS; n += 1) {
    term *= x / (a + n);
    sum += term;
    if (term < sum * EPSILON) break;
  }
  return sum;
}

/** By the modified Lentz method. */
function upperFraction(a: number, x: number): number {
  const tiny = 1e-300;
  let b = x + 1 - a;
  let c = 1 / tiny;
  let d = 1 / b;
  let value = d;
  for (let n = 1; n < TERMS; n += 1) {
    const an = -n * (n - a);
    b += 2;
    d = 1 / (an * d + b || tiny);
    c = b + an / c || tiny;
    const factor = d * c;
    value *= factor;
    if (Math.abs(factor - 1) < EPSILON) break;
  }
  return value;
}

/** Share of a chi-square distribution above `x`. */
export const chiSquareTail = (x: number, degrees: number): number =>
  degrees < 1 ? 1 : upperGamma(degrees / 2, x / 2);

/** Share of Kolmogorov's distribution above `x`. */
export function kolmogorovTail(x: number): number {
  if (x < 0.2) return 1;
  let sum = 0;
  for (let n = 1; n <= 100; n += 1) {
    const term = Math.exp(-2 * n * n * x * x);
    sum += n % 2 === 1 ? term : -term;
    if (term < EPSILON) break;
  }
  return Math.min(1, Math.max(0, 2 * sum));
}
