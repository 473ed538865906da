/** For how many days the place of a sign-in counts as known to its account. */
export const KNOWN_DAYS = 90;
/** One account has so many; the oldest make room. */
export const MAX_PLACES = 100;
