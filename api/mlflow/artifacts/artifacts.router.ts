import { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import { AppError, badRequest } from '../../../core/errors/app-error.js';
import type { ArtifactEntry } from '../../../models/tracker/run.types.js';
import { sendObject } from '../../http/answers/send-object.js';
import { contentLength } from '../../http/bodies/chunk-body.js';
import { MLFLOW_ROOTS } from '../../http/routing/mlflow-routes.js';
import { whenClientLeaves } from '../../http/routing/request-context.js';
import type { RouteTable } from '../../http/routing/route-table.js';
import type { IncomingFile } from '../../tracker/artifact-intake.js';
import type { JobLoggingService } from '../../tracker/job-logging.service.js';
import { artifactRoot } from '../../tracker/runs.mapper.js';
import { MlflowError } from '../protocol/mlflow-errors.js';
import type { MlflowRoutes } from '../protocol/mlflow-routes.js';
import { isPersonsCall, type TrackerCallers } from '../protocol/tracker-callers.js';
import { runIdOf } from '../runs/runs.router.js';
import { artifactPlace, loggedModelRoot } from './artifact-place.rules.js';
import type { ArtifactsService } from './artifacts.service.js';

export function registerArtifacts(routes: MlflowRoutes, artifacts: ArtifactsService): void {
  routes.on('GET artifacts/list', async ({ caller, fields }) => {
    const runId = runIdOf(fields);
    const path = fields.text('path').replace(/\/{1,2}$/, '');
    const files = await artifacts.list(caller, { kind: 'run', id: runId, path });
    return { root_uri: artifactRoot(runId), files: files.map((entry) => toFileInfo(entry, entry.path)) };
  });
  routes.on('GET logged-models/:model_id/artifacts/directories', async ({ caller, fields, req }) => {
    const modelId = String(req.params.model_id);
    const path = fields.text('artifact_directory_path').replace(/\/{1,2}$/, '');
    const files = await artifacts.list(caller, { kind: 'logged-model', id: modelId, path });
    return { root_uri: loggedModelRoot(modelId), files: files.map((entry) => toFileInfo(entry, entry.path)) };
  });
  routes.onArtifacts('GET artifacts', async (caller, req, res) => {
    const { path = '' } = req.query;
    if (typeof path !== 'string') throw badRequest('Give the path once.');
    const files = await artifacts.list(caller, artifactPlace(path));
    const nameOf = (entry: ArtifactEntry) => entry.path.slice(entry.path.lastIndexOf('/') + 1);
    res.json({ files: files.map((entry) => toFileInfo(entry, nameOf(entry))) });
  });
  routes.onArtifacts('GET artifacts/*path', async (caller, req) => {
    await sendObject(req, await artifacts.open(caller, artifactPlace(String(req.params.path))));
  });
  routes.onArtifacts('DELETE artifacts/*path', async (caller, req, res) => {
    await artifacts.remove(caller, artifactPlace(String(req.params.path)));
    res.json({});
  });
  routes.onArtifacts('GET presigned/*path', () =>
    Promise.reject(
      new MlflowError('NOT_IMPLEMENTED', 'Presigned URLs are not supported; fetch the artifact itself.'),
    ),
  );
}

/** A file comes from a person's client, or from a training job with the token of its attempt. */
export function registerPutArtifact(
  routes: RouteTable,
  callers: TrackerCallers,
  artifacts: ArtifactsService,
  jobs: JobLoggingService,
): void {
  const work = async (req: Request, res: Response) => {
    const caller = isPersonsCall(req) ? await callers.identify(req, 'DEVELOP') : null;
    const claims = caller === null ? jobs.claims(req.headers.authorization) : null;
    const place = artifactPlace(String(req.params.path));
    const file = { ...(await bodyOf(req)), signal: whenClientLeaves(req) };
    if (caller !== null) await artifacts.put(caller, place, file);
    else if (claims !== null && place.kind === 'run')
      await jobs.putArtifact(claims, place.id, { ...file, path: place.path });
    else throw new AppError('forbidden', 'A job may use the run of its own attempt only.');
    res.json({});
  };
  for (const root of MLFLOW_ROOTS)
    routes.add({
      ...{ method: 'PUT', pattern: `${root}/mlflow-artifacts/artifacts/*path`, operationId: null },
      access: { kind: 'tracker or job' },
      handlers: [work],
    });
}

/** What may come without a stated length: clients send empty files so. */
const MAX_CHUNKED_BYTES = 8 * 1024 ** 2;

async function bodyOf(req: Request): Promise<Pick<IncomingFile, 'body' | 'sizeBytes'>> {
  const encoding = req.headers['content-encoding'] ?? 'identity';
  if (!/^(identity)?$/i.test(encoding))
    throw new AppError('unsupported_media_type', 'Send the bytes as they are, without Content-Encoding.');
  const sizeBytes = contentLength(req);
  if (sizeBytes !== null || req.headers['transfer-encoding'] === undefined)
    return { body: req, sizeBytes: sizeBytes ?? 0 };
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_CHUNKED_BYTES)
      throw new AppError('payload_too_large', 'Send the size of a large file as Content-Length.');
    chunks.push(chunk);
  }
  return { body: Readable.from(chunks), sizeBytes: bytes };
}

const toFileInfo = ({ isDir, sizeBytes }: ArtifactEntry, path: string) =>
  isDir ? { path, is_dir: true } : { path, is_dir: false, file_size: sizeBytes };
