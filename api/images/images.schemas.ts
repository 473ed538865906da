/** An image that can be served or deployed. */
export interface ImageOut {
  id: string;
  kind: 'model' | 'import';
  status: 'BUILDING' | 'READY' | 'FAILED';
  /** Why it failed. */
  status_message: string | null;
  /** Null for images that are no model images. */
  model_name: string | null;
  model_version: number | null;
  repository: string;
  tag: string | null;
  /** `<registry host>/<tenant code>/<name>@sha256:...`; null until READY. */
  image_ref: string | null;
  /** Runtime variant whose environment runs it, and the digest of that variant's programs; null until READY. */
  runtime: string | null;
  runtime_digest: string | null;
  size_bytes: number;
  created_at: string;
  updated_at: string;
  created_by: string | null;
}

export interface ImagePage {
  items: ImageOut[];
  total: number;
  page: number;
  page_size: number;
}

export interface ImageListQuery {
  status?: 'BUILDING' | 'READY' | 'FAILED';
  /**
   * Exact name of a model.
   * @maxLength 128
   */
  model?: string;
  /**
   * @isInt
   * @minimum 1
   * @maximum 10000000
   */
  page?: number;
  /**
   * @isInt
   * @minimum 1
   * @maximum 200
   */
  page_size?: number;
  /**
   * Part of the repository.
   * @maxLength 200
   */
  q?: string;
  /**
   * One of created_at, updated_at, repository, size_bytes.
   * @maxLength 64
   */
  sort?: string;
  order?: 'asc' | 'desc';
}
