import type { Request as ExRequest } from 'express';
import { Controller, Get, Request, Route, Security, Tags } from '@tsoa/runtime';
import { principalOf } from '../http/routing/request-context.js';
import type { TenantMembershipList } from './tenants.schemas.js';
import type { TenantsService } from './tenants.service.js';

@Route('api/v1/tenants')
@Tags('tenants')
export class TenantsController extends Controller {
  constructor(private readonly tenants: TenantsService) {
    super();
  }

  /**
   * A global administrator gets every active tenant, with role ADMIN.
   * @summary List one's own tenants with the role in each
   */
  @Get()
  @Security('session')
  async list(@Request() req: ExRequest): Promise<TenantMembershipList> {
    const { items, total } = await this.tenants.tenantsOf(principalOf(req));
    return { items: items.map(({ id, code, name, role }) => ({ id, code, name, role })), total };
  }
}
