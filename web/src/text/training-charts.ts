export const charts = {
  settings: 'How charts are drawn',
  smoothing: 'Smoothing',
  log: 'Log scale',
  xAxis: 'X axis',
  x: { step: 'Step', time: 'Time' },
  curve: 'Curve',
  last: 'Last',
  least: 'Least',
  greatest: 'Greatest',
  points: 'Points',
  atPlace: (value: string, place: string | null) => (place === null ? value : `${value} @ ${place}`),
  showTable: 'Show as a table',
  showChart: 'Show as a chart',
  csv: 'Download as CSV',
  fullScreen: 'Full screen',
  sampled: (total: number) =>
    `Sampled from ${total.toLocaleString('en')} points: first, last, least and greatest value of each part.`,
  label: (title: string, curves: string) =>
    `Chart of ${title} with the curves ${curves}. A table with its figures can be shown.`,
  hint: 'Drag to zoom, double-click to see all. A click on a name takes its curve away.',
};

export const log = {
  search: 'Search the log',
  searchHint: 'Search the log (press /)',
  levels: 'Levels',
  level: { error: 'Errors', warning: 'Warnings', info: 'Info', debug: 'Debug' },
  follow: 'Follow',
  wrap: 'Wrap lines',
  download: 'Download',
  lines: (lines: string) => (lines === '1' ? '1 line' : `${lines} lines`),
  found: (found: string, lines: string) => `${found} of ${lines} lines`,
  tail: 'the end of the log; the rest is on its way',
  tailOnly: 'the end of the log',
  live: 'live',
  whole: (size: string) => `Load all of it (${size})`,
  empty: 'Nothing was logged yet.',
};
