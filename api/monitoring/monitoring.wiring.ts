import { systemClock } from '../../core/ports/clock.js';
import type { DomainPart, ProcessResources } from '../process-resources.js';
import { ModelMonitoringController } from './model-monitoring.controller.js';
import { ModelMonitoringService } from './model-monitoring.service.js';

/** What models show in the field. */
export function wireMonitoring({ db }: ProcessResources): DomainPart {
  const monitoring = new ModelMonitoringService(db, systemClock);
  return { controllers: [[ModelMonitoringController, () => new ModelMonitoringController(monitoring)]] };
}
