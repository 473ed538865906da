import type { Request as ExRequest } from 'express';
import {
  Body,
  Controller,
  Delete,
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
import { callerOf } from '../http/routing/request-context.js';
import type { PresetCreate, PresetId, PresetOut } from './presets.schemas.js';
import type { PresetsService } from './presets.service.js';
import { toPresetOut } from './training.mapper.js';

@Route('api/v1/training/presets')
@Tags('training')
export class PresetsController extends Controller {
  constructor(private readonly presets: PresetsService) {
    super();
  }

  /**
   * Keeps a config, or a part of one, to begin experiments with. It is checked as far as it does not depend on a dataset.
   * @summary Create a preset
   */
  @Post()
  @Security('user', ['DEVELOP'])
  @SuccessResponse(201, 'Created')
  @Response<ErrorOut>(409, 'There is a preset of this name')
  async create(@Request() req: ExRequest, @Body() body: PresetCreate): Promise<PresetOut> {
    this.setStatus(201);
    const { name, description, config } = body;
    return toPresetOut(await this.presets.create(callerOf(req), name, description ?? '', config));
  }

  /** @summary Delete a preset */
  @Delete('{preset_id}')
  @Security('user', ['DEVELOP'])
  @SuccessResponse(204, 'Deleted')
  @Response<ErrorOut>(409, 'The preset belongs to the installation')
  async remove(@Request() req: ExRequest, @Path() preset_id: PresetId): Promise<void> {
    this.setStatus(204);
    await this.presets.delete(callerOf(req), preset_id);
  }
}
