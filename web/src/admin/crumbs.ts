import type { Crumb } from '../shared/crumbs';
import { text } from '../text';

/** The way to a page of administration. */
export const adminCrumbs = (tenant: string, ...further: readonly Crumb[]): Crumb[] => [
  { label: text.admin.title, to: '/t/$tenant/admin', params: { tenant } },
  ...further,
];
