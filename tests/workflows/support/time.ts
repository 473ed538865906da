import { testNamespace, timeSkippingServer } from '../../setup/engines.js';
import { type Lab, openLab, openTimeSkippingLab } from './lab.js';

const { path, reason } = timeSkippingServer();

/** Why waiting costs time here, so that tests of what takes minutes are left out; null where it costs nothing. */
export const noTimeSkipping: string | null = reason;

/** A laboratory over the time-skipping server, over the development server where there is no Java. */
export const openTimeLab = async (): Promise<Lab> =>
  path === null ? openLab(await testNamespace()) : openTimeSkippingLab(path);
