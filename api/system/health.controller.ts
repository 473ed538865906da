import { Controller, Get, Route, Security, Tags } from '@tsoa/runtime';
import type { SystemHealthOut } from './health.schemas.js';
import type { SystemHealthService } from './health.service.js';

@Route('api/v1/system/health')
@Tags('system')
export class SystemHealthController extends Controller {
  constructor(private readonly health: SystemHealthService) {
    super();
  }

  /**
   * Always answers 200; read `status` and the components.
   * @summary Diagnose all components and the configuration
   */
  @Get()
  @Security('admin')
  async read(): Promise<SystemHealthOut> {
    return this.health.diagnose();
  }
}
