import { Client } from 'minio';

/** The client lists parts for its own use. */
export class PartsClient extends Client {
  partsOf(bucket: string, key: string, uploadId: string) {
    return this.listParts(bucket, key, uploadId);
  }

  /**
   * Unfinished uploads page by page. The client's own `listIncompleteUploads` asks for the parts of each upload too and
   * fails as a whole where one of them ends meanwhile.
   */
  async *unfinished(bucket: string, prefix: string): AsyncIterable<{ key: string; uploadId: string }> {
    for (let key = '', upload = ''; ; ) {
      const page = await this.listIncompleteUploadsQuery(bucket, prefix, key, upload, '');
      yield* page.uploads;
      if (!page.isTruncated) return;
      key = page.nextKeyMarker;
      upload = page.nextUploadIdMarker;
    }
  }
}
