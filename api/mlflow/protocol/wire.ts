import { badRequest } from '../../../core/errors/app-error.js';

/** JSON has no NaN and no infinity: they travel as their names. */
export const wireNumber = (value: number): number | string =>
  Number.isFinite(value) ? value : String(value);

export const wirePairs = (texts: Readonly<Record<string, string>>) =>
  Object.entries(texts).map(([key, value]) => ({ key, value }));

const MAX_DATE_MS = 8.64e15;
/** A clock may be far off: what no date can hold is cut to what one can; PostgreSQL's dates begin in 4713 BC. */
export const dateOfMs = (ms: number): Date => new Date(Math.min(MAX_DATE_MS, Math.max(-2e14, ms)));

/** The default experiment is 0 for clients. @returns null for it @throws AppError bad_request */
export function experimentIdOf(text: string): number | null {
  if (!/^\d{1,15}$/.test(text))
    throw badRequest(`Invalid experiment ID ${JSON.stringify(text.slice(0, 100))}: it is a decimal number.`);
  return Number(text) === 0 ? null : Number(text);
}

/** @throws AppError bad_request for a version that is no number */
export function versionOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw badRequest(`Invalid model version ${JSON.stringify(text.slice(0, 100))}: it is a number.`);
  return Number(text);
}

const VIEWS: Readonly<Record<string, 'ACTIVE_ONLY' | 'DELETED_ONLY' | 'ALL'>> = {
  '': 'ACTIVE_ONLY',
  '1': 'ACTIVE_ONLY',
  '2': 'DELETED_ONLY',
  '3': 'ALL',
  ACTIVE_ONLY: 'ACTIVE_ONLY',
  DELETED_ONLY: 'DELETED_ONLY',
  ALL: 'ALL',
};

/** @throws AppError bad_request for a word that is no view */
export function viewOf(value: unknown): 'ACTIVE_ONLY' | 'DELETED_ONLY' | 'ALL' {
  const text = String(value ?? '');
  const view = Object.hasOwn(VIEWS, text) ? VIEWS[text] : undefined;
  if (view === undefined) throw badRequest('Invalid view type: choose ACTIVE_ONLY, DELETED_ONLY or ALL.');
  return view;
}
