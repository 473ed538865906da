import type { Request as ExRequest } from 'express';
import {
  Body,
  Controller,
  Get,
  Patch,
  Path,
  Post,
  Request,
  Response,
  Route,
  Security,
  SuccessResponse,
  Tags,
} from '@tsoa/runtime';
import type { ErrorOut } from '../http/answers/error.schemas.js';
import { actorOf } from '../http/routing/request-context.js';
import type { Uuid } from '../http/routing/parameters.js';
import { toNewTenant, toTenantChanges, toTenantOut } from './tenants.mapper.js';
import type { FeatureList, TenantCreate, TenantList, TenantOut, TenantUpdate } from './tenants.schemas.js';
import type { TenantsService } from './tenants.service.js';

@Route('api/v1/settings')
@Tags('tenants')
export class TenantSettingsController extends Controller {
  constructor(private readonly tenants: TenantsService) {
    super();
  }

  /** @summary Catalog of the features that can be switched per tenant */
  @Get('features')
  @Security('admin')
  async features(): Promise<FeatureList> {
    return this.tenants.features();
  }

  /**
   * All tenants, whoever belongs to them and switched off or not.
   * @summary List all tenants with their settings
   */
  @Get('tenants')
  @Security('admin')
  async list(): Promise<TenantList> {
    const { items, total } = await this.tenants.list();
    return { items: items.map(toTenantOut), total };
  }

  /** @summary Create a tenant */
  @Post('tenants')
  @Security('admin')
  @SuccessResponse(201, 'Created')
  @Response<ErrorOut>(409, 'The code is taken')
  async create(@Request() req: ExRequest, @Body() body: TenantCreate): Promise<TenantOut> {
    return toTenantOut(await this.tenants.create(actorOf(req), toNewTenant(body)));
  }

  /**
   * Switching a tenant off (`is_active` false) makes it unknown (404) to its members at once.
   * @summary Change a tenant
   * @param tenant_id id of the tenant
   */
  @Patch('tenants/{tenant_id}')
  @Security('admin')
  async update(
    @Request() req: ExRequest,
    @Path() tenant_id: Uuid,
    @Body() body: TenantUpdate,
  ): Promise<TenantOut> {
    return toTenantOut(await this.tenants.update(actorOf(req), tenant_id, toTenantChanges(body)));
  }
}
