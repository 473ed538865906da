import type { PlatformTransaction } from '../../orm/transaction.js';
import type { RunningTraining } from './forecast.rules.js';
import { RUNNING_TRAININGS } from './running-trainings.sql.js';

const MOST = 1000;

/** All of the installation: they take the places that others wait for. */
export const listRunningTrainings = (tx: PlatformTransaction): Promise<RunningTraining[]> =>
  tx.rows<RunningTraining>(RUNNING_TRAININGS, [MOST]);
