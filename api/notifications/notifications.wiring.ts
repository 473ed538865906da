import type { DomainPart, ProcessResources } from '../process-resources.js';
import type { EventStreams } from '../streams/event-streams.js';
import { NotificationStreamController } from './notification-stream.controller.js';
import { NotificationsController } from './notifications.controller.js';
import { NotificationsService } from './notifications.service.js';

/** Notifications of a person: feed, stream and mails. */
export function wireNotifications({ db, events }: ProcessResources, streams: EventStreams): DomainPart {
  const notifications = new NotificationsService(db, events);
  return {
    controllers: [
      [NotificationsController, () => new NotificationsController(notifications)],
      [NotificationStreamController, () => new NotificationStreamController(streams)],
    ],
  };
}
