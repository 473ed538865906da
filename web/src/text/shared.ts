export const shared = {
  crumbs: 'Breadcrumb',
  loading: 'Loading',
  copy: 'Copy',
  copied: 'Copied',
  copyCurl: 'Copy as curl',
  copyPython: 'Copy as Python',
  whatToken: 'TOKEN is a token of yours:',
  account: 'Account and tokens',
  more: 'More actions',
  cancel: 'Cancel',
  save: 'Save',
  close: 'Close',
  undo: 'Undo',
  workflows: 'Workflows',
  inTemporal: 'Show in Temporal',
  updated: 'updated',
  unservable: 'This version could not be packed with a server',
  unservableUnknown: 'The list of images names no reason.',
  typeName: (name: string) => `Type ${name} to confirm`,
};

export const errors = {
  retry: 'Try again',
  id: 'Error id',
  docs: 'API documentation',
  unexpected: 'Something went wrong',
  answered: (status: number) => `The server answered ${status}.`,
  unreachable: 'The platform cannot be reached. It may be restarting.',
  byStatus: {
    0: 'No connection',
    400: 'The request was not understood',
    401: 'You are not signed in',
    403: 'You may not do this',
    404: 'This does not exist, or you may not see it',
    409: 'This is in the way',
    413: 'This is too large',
    422: 'Something in the form is not valid',
    429: 'Too many requests',
    503: 'The platform is busy or restarting',
  } as Readonly<Record<number, string>>,
  partMissing:
    'The code of this part of the page did not come. If it does not come on the next try either, reload the page: after an upgrade the platform has other files.',
  advice:
    'Try again. If it happens again, tell whoever runs the platform, with the error id where there is one.',
  adviceByStatus: {
    0: 'Look whether this computer has a network; if it has, the platform is away, and the page tries again by itself.',
    400: 'Correct what the message names and send it again.',
    401: 'Sign in again; you come back to this page.',
    403: 'Ask an administrator of the tenant for the permission.',
    404: 'Look into the list for it, and whether the right tenant is chosen above.',
    409: 'Do first what the message names, or load the page again: somebody may have changed it meanwhile.',
    413: 'Send less at once.',
    422: 'Correct what is listed here and send it again.',
    429: 'Wait a minute, then try again.',
    503: 'Wait a moment: the page tries again by itself, and nothing that was done is lost.',
  } as Readonly<Record<number, string>>,
  /** Where nothing is tried again by itself: in forms, and after a press of a button. */
  adviceOfActionByStatus: {
    0: 'Look whether this computer has a network. No answer came: look whether it was done before you send it again.',
    503: 'Wait a moment and send it again. What you have entered is still here.',
  } as Readonly<Record<number, string>>,
};

export const lists = {
  search: 'Search this list',
  searchHint: 'Search (press /)',
  columns: 'Choose columns',
  views: 'Saved views',
  viewRemoved: (name: string) => `The view ${name} was removed`,
  viewShown: (name: string) => `Saved view: ${name}`,
  noViews: 'A view keeps the search, filters, order and columns of this list, in this browser.',
  viewName: 'Name of this view',
  saveView: 'Save',
  removeView: (name: string) => `Remove the view ${name}`,
  select: 'Select',
  selectAll: 'Select all rows of this page',
  chosen: (rows: number) => `${rows} selected`,
  partly: (done: number, all: number) => `${done} of ${all} done`,
  news: (fresh: number, gone: number) =>
    `${[fresh > 0 ? `${fresh} new` : '', gone > 0 ? `${gone} gone` : ''].filter(Boolean).join(', ')}: show`,
  gone: 'No longer there',
  notUpToDate: 'Not up to date',
  nothingFound: 'Nothing matches the search and the filters.',
  clear: 'Clear search and filters',
  clearFilter: (label: string) => `Clear the filter ${label}`,
  total: (total: string, capped: boolean) => (capped ? `more than ${total}` : `${total} in total`),
  page: { first: 'First page', last: 'Last page', next: 'Next page', previous: 'Previous page' },
  pageNumber: (page: number) => `Page ${page}`,
};

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** How numbers, moments and spans of time are said. */
export const units = {
  language: 'en',
  now: 'now',
  utc: (moment: string) => `${moment} UTC`,
  inZone: (label: string, zone: 'local' | 'utc') => (zone === 'utc' ? `${label} (UTC)` : label),
  seconds: (seconds: string) => `${seconds} s`,
  minutes: (minutes: number, seconds: number) => `${minutes} min ${twoDigits(seconds)} s`,
  hours: (hours: number, minutes: number) => `${hours} h ${twoDigits(minutes)} min`,
  wholeMinutes: (minutes: number) => `${minutes} min`,
  roughHours: (hours: string) => `${hours} h`,
  bytes: ['B', 'KiB', 'MiB', 'GiB', 'TiB'],
  percent: (value: string) => `${value} %`,
};
