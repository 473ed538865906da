import { badRequest } from '../../../core/errors/app-error.js';
import { isWellFormed } from '../../../core/text/line-text.js';
import type { KeyValue } from '../../../models/tracker/run.types.js';

const missing = (name: string) => badRequest(`Missing value for required parameter '${name}'.`);
const invalid = (name: string, problem: string) =>
  badRequest(`Invalid value for parameter '${name}': it ${problem}.`);

/** The parameters of a call, from its body or its query; unknown ones are ignored. All methods throw bad_request. */
export class Fields {
  private readonly given: Readonly<Record<string, unknown>>;

  constructor(given: unknown, place = 'the body') {
    if (typeof given !== 'object' || given === null || Array.isArray(given))
      throw badRequest(`Invalid value for ${place}: it must be an object.`);
    this.given = given as Record<string, unknown>;
  }

  has(name: string): boolean {
    return this.given[name] !== undefined && this.given[name] !== null;
  }

  raw(name: string): unknown {
    return this.given[name];
  }

  /** '' when it is not there. */
  text(name: string): string {
    const value = this.given[name] ?? '';
    if (typeof value !== 'string') throw invalid(name, 'must be a text');
    if (value.includes('\u0000') || !isWellFormed(value))
      throw invalid(name, 'must be well-formed Unicode without NUL characters');
    return value;
  }

  required(name: string): string {
    const value = this.text(name);
    if (value === '') throw missing(name);
    return value;
  }

  optional(name: string): string | null {
    return this.has(name) ? this.text(name) : null;
  }

  boolean(name: string): boolean {
    const value = this.given[name] ?? false;
    if (value === 'true' || value === true) return true;
    if (value === 'false' || value === false) return false;
    throw invalid(name, 'must be true or false');
  }

  /** A 64-bit integer may come as a text; beyond what is exact here it is cut to that. */
  integer(name: string): number | null {
    const value = this.given[name];
    if (value === undefined || value === null) return null;
    const number = typeof value === 'string' && /^-?\d{1,19}$/.test(value) ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isFinite(number)) throw invalid(name, 'must be an integer');
    return Math.min(Number.MAX_SAFE_INTEGER, Math.max(Number.MIN_SAFE_INTEGER, Math.trunc(number)));
  }

  /** @param most what may be asked for at most */
  limit(name: string, usual: number, most: number): number {
    const value = this.integer(name) ?? usual;
    if (value < 1 || value > most) throw invalid(name, `must be a number from 1 to ${most}`);
    return value;
  }

  /** In a query, a repeated key. */
  list(name: string, most = 1000): unknown[] {
    const value = this.given[name];
    if (value === undefined || value === null) return [];
    const list = Array.isArray(value) ? value : typeof value === 'string' ? [value] : null;
    if (list === null) throw invalid(name, 'must be a list');
    if (list.length > most) throw invalid(name, `must hold at most ${most} items`);
    return list;
  }

  texts(name: string, most = 1000): string[] {
    return this.list(name, most).map((value) => {
      if (typeof value !== 'string' || value.includes('\u0000')) throw invalid(name, 'must hold texts');
      return value;
    });
  }

  objects(name: string, most = 1000): Fields[] {
    return this.list(name, most).map((value, at) => new Fields(value, `${name}[${at}]`));
  }

  object(name: string): Fields {
    if (!this.has(name)) throw missing(name);
    return new Fields(this.given[name], name);
  }

  /** Keys with values, such as tags. */
  pairs(name: string): KeyValue[] {
    return this.objects(name).map((item) => ({ key: item.required('key'), value: item.text('value') }));
  }
}
