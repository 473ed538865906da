import { badRequest } from '../../../core/errors/app-error.js';

export interface PartSent {
  readonly partNumber: number;
  /** Without quotes. */
  readonly etag: string;
}

interface UploadKey {
  /** Last part of the object's key. */
  readonly id: string;
  /** Id of the multipart upload in the store. */
  readonly multipartId: string;
}

export const uploadIdOf = ({ id, multipartId }: UploadKey): string => `${id}.${multipartId}`;

/** @throws AppError bad_request */
export function readUploadId(text: string): UploadKey {
  const found = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([^\s]{1,1024})$/.exec(text);
  if (!found) throw badRequest("Invalid value for parameter 'upload_id': it is what mpu/create answered.");
  return { id: found[1] as string, multipartId: found[2] as string };
}

/** A client that came by this host can send to this address, as far as can be known. */
export const isReachable = (address: string, host: string): boolean =>
  !isLoopback(new URL(address).hostname) || isLoopback(URL.parse(`http://${host}`)?.hostname ?? '');

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);

/** Clients send the path of the file on their side: its last part is the name. */
export const fileNameOf = (path: string): string =>
  path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
