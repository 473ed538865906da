/** How the tracker refuses to wait for a promotion that somebody has to decide about. */
export const WAITS_FOR_PERSON = 'waits in the registry: a second person must approve it.';

/** Whether a refusal of the tracker says that people decide about a promotion, or have rejected it. */
export const isLeftToPeople = (refusal: string): boolean =>
  refusal.endsWith(WAITS_FOR_PERSON) || /\bPromotion \S+ of .* is REJECTED: /s.test(refusal);
