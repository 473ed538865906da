import type { Deployment } from '../deployment.entity.js';
import type { DeploymentRow } from '../deployment.types.js';
import type { MovingOf } from '../devices/device-moves.sql.js';

/** What one look of the durable work goes by. The row of the deployment is locked. */
export interface Look extends MovingOf {
  readonly deployment: Deployment;
  /** As it was read at the beginning of the look. */
  readonly row: DeploymentRow;
  readonly now: Date;
  /** The rollback condition that holds, in words; null: none, or it is not watched. */
  readonly broken: string | null;
}
