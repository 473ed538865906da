/**
 * A restore brings counters of attempts back to where they were, while the workflow engine may still know
 * what ran since. So ids that a restored installation gives the engine carry its epoch, which each restore
 * raises: rows and dispatch entries name work as ever, and no id runs twice.
 */
const MARK = '~';

/** The engine's id of a piece of work; the first epoch has no mark. */
export const idInEpoch = (workflowId: string, epoch: number): string =>
  epoch === 1 ? workflowId : `${workflowId}${MARK}${epoch}`;

/** Whether work of this id belongs to an epoch before `epoch`. Those of schedules have no epoch. */
export function isOfEarlierEpoch(engineId: string, epoch: number): boolean {
  const at = engineId.lastIndexOf(MARK);
  const its = at < 0 ? 1 : Number(engineId.slice(at + 1));
  return its < epoch;
}
