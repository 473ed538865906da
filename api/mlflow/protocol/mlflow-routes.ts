import type { Request, Response } from 'express';
import {
  ARTIFACT_CALLS,
  type ArtifactCallName,
  MLFLOW_CALLS,
  type MlflowCallName,
  MLFLOW_ROOTS,
  PAGE_CALLS,
  type PageCallName,
  TRACKER,
} from '../../http/routing/mlflow-routes.js';
import type { RouteTable } from '../../http/routing/route-table.js';
import { Fields } from './fields.js';
import { readJson } from './read-json.js';
import type { TrackerCaller, TrackerCallers } from './tracker-callers.js';

export interface MlflowCall {
  readonly caller: TrackerCaller;
  readonly fields: Fields;
  readonly req: Request;
  readonly res: Response;
}

/** @returns the JSON of the answer */
export type MlflowWork = (call: MlflowCall) => Promise<object>;

/** Registers calls of the protocol: the token is asked for before the body is read. */
export class MlflowRoutes {
  constructor(
    private readonly routes: RouteTable,
    private readonly callers: TrackerCallers,
  ) {}

  /** @param isLarge takes a body of up to 20 MiB */
  on(name: MlflowCallName, work: MlflowWork, isLarge = false): void {
    this.add('mlflow', name, async (req, res) => {
      const caller = await this.callers.identify(req, MLFLOW_CALLS[name]);
      const given =
        req.method === 'GET' || req.method === 'HEAD' ? req.query : await readJson(req, res, isLarge);
      res.json(await work({ caller, req, res, fields: new Fields(given ?? {}) }));
    });
  }

  /** Artifacts are bytes: the work reads and answers itself. */
  onArtifacts(
    name: ArtifactCallName,
    work: (caller: TrackerCaller, req: Request, res: Response) => Promise<void>,
  ): void {
    this.add('mlflow-artifacts', name, async (req, res) => {
      await work(await this.callers.identify(req, ARTIFACT_CALLS[name]), req, res);
    });
  }

  /** As `onArtifacts`; what is asked for stands in the query. */
  onPages(name: PageCallName, work: (call: MlflowCall) => Promise<void>): void {
    const [method = '', path] = name.split(' ');
    this.route(method, `${TRACKER}/${path}`, async (req, res) => {
      const caller = await this.callers.identify(req, PAGE_CALLS[name]);
      await work({ caller, req, res, fields: new Fields(req.query) });
    });
  }

  private add(part: string, name: string, handler: (req: Request, res: Response) => Promise<void>): void {
    const [method = '', path] = name.split(' ');
    for (const root of MLFLOW_ROOTS) this.route(method, `${root}/${part}/${path}`, handler);
  }

  private route(
    method: string,
    pattern: string,
    handler: (req: Request, res: Response) => Promise<void>,
  ): void {
    this.routes.add({
      ...{ method, pattern, operationId: null },
      access: { kind: 'tracker' },
      handlers: [handler],
    });
  }
}
