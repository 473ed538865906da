/** Conditions under which something is taken back by itself. */
export const conditions = {
  addCondition: 'Add a condition',
  removeCondition: (metric: string) => `Remove the condition on ${metric || 'no metric'}`,
  metric: 'Metric',
  op: 'Is',
  value: 'Value',
  span: 'For',
  spanHint: '15m, 1h, 2d',
  sentence: (metric: string, op: string, value: number, span: string) =>
    `${metric} ${op} ${value} for ${span}`,
};
