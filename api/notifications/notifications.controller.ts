import type { Request as ExRequest } from 'express';
import {
  Body,
  Controller,
  Get,
  Path,
  Post,
  Put,
  Queries,
  Request,
  Response,
  Route,
  Security,
  Tags,
} from '@tsoa/runtime';
import type { ErrorOut } from '../http/answers/error.schemas.js';
import type { Uuid } from '../http/routing/parameters.js';
import { actorOf, callerOf, principalOf } from '../http/routing/request-context.js';
import { toNotificationOut, toPreferencesOut, toUnreadCountOut } from './notifications.mapper.js';
import type {
  NotificationOut,
  NotificationPage,
  NotificationQuery,
  PreferencesBody,
  PreferencesOut,
  ReadAllOut,
  UnreadCountOut,
} from './notifications.schemas.js';
import type { NotificationsService } from './notifications.service.js';

@Route('api/v1/notifications')
@Tags('notifications')
export class NotificationsController extends Controller {
  constructor(private readonly notifications: NotificationsService) {
    super();
  }

  /**
   * Each group of the catalog with its recipients, the default and the choice.
   * @summary One's own preferences, in the order of the catalog
   */
  @Get('preferences')
  @Security('session')
  async preferences(@Request() req: ExRequest): Promise<PreferencesOut> {
    return toPreferencesOut(await this.notifications.preferences(principalOf(req).userId));
  }

  /**
   * For what happens from now on.
   * @summary Replace one's own preferences as a whole
   */
  @Put('preferences')
  @Security('session')
  async replacePreferences(
    @Request() req: ExRequest,
    @Body() body: PreferencesBody,
  ): Promise<PreferencesOut> {
    return toPreferencesOut(
      await this.notifications.replacePreferences(actorOf(req), principalOf(req).userId, body.prefs),
    );
  }

  /** @summary Count one's own unread notifications, in total and by tenant */
  @Get('unread-count')
  @Security('session')
  async unreadCount(@Request() req: ExRequest): Promise<UnreadCountOut> {
    return toUnreadCountOut(await this.notifications.unread(principalOf(req).userId));
  }

  /**
   * Those of the current tenant, and those that belong to no tenant, which show in each of them.
   * @summary Mark all unread notifications read
   */
  @Post('read-all')
  @Security('user', ['VIEW'])
  async readAll(@Request() req: ExRequest): Promise<ReadAllOut> {
    return { marked: await this.notifications.readAll(callerOf(req)) };
  }

  /**
   * Those of the current tenant, and those that belong to no tenant, which show in each of them. What happened last stands first.
   * @summary List one's own notifications
   */
  @Get()
  @Security('user', ['VIEW'])
  async list(@Request() req: ExRequest, @Queries() query: NotificationQuery): Promise<NotificationPage> {
    const page = await this.notifications.list(callerOf(req), query);
    return { ...page, items: page.items.map(toNotificationOut) };
  }

  /**
   * Reading it again changes nothing.
   * @summary Mark one notification read
   */
  @Post('{notification_id}/read')
  @Security('user', ['VIEW'])
  @Response<ErrorOut>(404, "Unknown, another person's or of another tenant")
  async read(@Request() req: ExRequest, @Path() notification_id: Uuid): Promise<NotificationOut> {
    return toNotificationOut(await this.notifications.read(callerOf(req), notification_id));
  }
}
