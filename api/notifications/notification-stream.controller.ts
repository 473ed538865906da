import type { Request as ExRequest } from 'express';
import {
  Controller,
  Extension,
  Get,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime';
import type { ErrorOut } from '../http/answers/error.schemas.js';
import type { EventStreams } from '../streams/event-streams.js';

@Route('api/v1/stream')
@Tags('notifications')
export class NotificationStreamController extends Controller {
  constructor(private readonly streams: EventStreams) {
    super();
  }

  /**
   * Server-sent events: connected, then notification whenever an entry appears, grows or is read, in any tenant; `unread`
   * counts those of all tenants. Nothing is replayed.
   * @summary Follow one's own notifications
   */
  @Get('notifications')
  @Security('session')
  @Extension('x-event-stream', true)
  @SuccessResponse(200, 'The stream')
  @Response<ErrorOut>(429, 'Too many streams are open')
  async follow(@Request() req: ExRequest): Promise<void> {
    await this.streams.openForUser(req);
  }
}
