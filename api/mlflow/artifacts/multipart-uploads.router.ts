import type { Request, Response } from 'express';
import { Fields } from '../protocol/fields.js';
import type { MlflowRoutes } from '../protocol/mlflow-routes.js';
import { readJson } from '../protocol/read-json.js';
import { type ArtifactPlace, artifactPlace } from './artifact-place.rules.js';
import { fileNameOf } from './multipart.rules.js';
import type { MultipartUploadsService } from './multipart-uploads.service.js';

/** The store takes no more. */
const MAX_PARTS = 10_000;

export function registerMultipartUploads(routes: MlflowRoutes, uploads: MultipartUploadsService): void {
  routes.onArtifacts('POST mpu/create/*path', async (caller, req, res) => {
    const fields = await fieldsOf(req, res);
    const parts = fields.limit('num_parts', 1, MAX_PARTS);
    const host = String(req.headers.host ?? '');
    const { uploadId, addresses } = await uploads.create(caller, placeOf(req, fields), parts, host);
    const credentials = addresses.map(({ url, partNumber }) => ({
      url,
      part_number: partNumber,
      headers: {},
    }));
    res.json({ upload_id: uploadId, credentials });
  });
  routes.onArtifacts('POST mpu/complete/*path', async (caller, req, res) => {
    const fields = await fieldsOf(req, res);
    const parts = fields.objects('parts', MAX_PARTS).map((part) => ({
      partNumber: part.integer('part_number') ?? 0,
      etag: part.required('etag').replaceAll('"', ''),
    }));
    await uploads.complete(caller, placeOf(req, fields), fields.required('upload_id'), parts);
    res.json({});
  });
  routes.onArtifacts('POST mpu/abort/*path', async (caller, req, res) => {
    const fields = await fieldsOf(req, res);
    await uploads.abort(caller, placeOf(req, fields), fields.required('upload_id'));
    res.json({});
  });
}

/** Ten thousand parts come with their addresses. */
const fieldsOf = async (req: Request, res: Response): Promise<Fields> =>
  new Fields(await readJson(req, res, true));

/** The folder stands in the address, the file in the body. */
function placeOf(req: Request, fields: Fields): ArtifactPlace {
  const folder = artifactPlace(String(req.params.path));
  const name = fileNameOf(fields.required('path'));
  return { ...folder, path: folder.path === '' ? name : `${folder.path}/${name}` };
}
