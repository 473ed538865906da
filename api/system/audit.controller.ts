import type { Request as ExRequest } from 'express';
import { Controller, Extension, Get, Queries, Query, Request, Route, Security, Tags } from '@tsoa/runtime';
import type { SearchText } from '../http/routing/parameters.js';
import { sendText } from '../http/answers/send-text.js';
import { AUDIT_CSV_HEADER, toAuditCsv, toAuditEntryOut, toAuditFilter } from './audit.mapper.js';
import type { AuditActionList, AuditPage, AuditQuery } from './audit.schemas.js';
import type { AuditService } from './audit.service.js';

@Route('api/v1/system/audit')
@Tags('system')
export class AuditController extends Controller {
  constructor(private readonly trail: AuditService) {
    super();
  }

  /**
   * Newest first. With `format=csv` all matching entries come as an attachment; cells that a spreadsheet would run as
   * a formula begin with an apostrophe.
   * @summary Read the audit trail
   */
  @Get()
  @Security('admin')
  @Extension('x-also-answers', 'text/csv')
  async list(@Request() req: ExRequest, @Queries() query: AuditQuery): Promise<AuditPage> {
    const filter = toAuditFilter(query);
    if (query.format === 'csv')
      return sendText(
        req,
        { type: 'text/csv; charset=utf-8', filename: 'audit.csv', head: AUDIT_CSV_HEADER },
        this.trail.all(filter),
        (batch) => batch.map(toAuditCsv).join(''),
      );
    const found = await this.trail.page(filter, query);
    return { ...found, items: found.items.map(toAuditEntryOut) };
  }

  /**
   * @summary List the distinct actions of the audit trail, by name
   * @param tenant code of a tenant
   */
  @Get('actions')
  @Security('admin')
  async actions(@Query() tenant?: SearchText): Promise<AuditActionList> {
    const items = await this.trail.actions(tenant?.trim() || null);
    return { items, total: items.length };
  }
}
