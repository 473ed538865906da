import { testNamespace, timeSkippingServer } from '../../setup/engines.js';
import { type Lab, openLab, openTimeSkippingLab } from './lab.js';

const { path, reason } = timeSkippingServer();

/** True where waiting costs nothing. Elsewhere tests wait for real and choose short durations. */
export const skipsTime = path !== null;

if (!skipsTime) process.stderr.write(`${reason}: workflows wait for real with short durations, and what takes minutes is left out\n`);

/** A laboratory over the time-skipping server, over the development server where there is no Java. */
export const openTimeLab = async (): Promise<Lab> => (path === null ? openLab(await testNamespace()) : openTimeSkippingLab(path));
