/** Unknown keys are dropped. */
export interface CommentCreate {
  /**
   * Plain text.
   * @minLength 1
   * @maxLength 10000
   * @pattern ^(?:[^\u0000\ud800-\udfff]|[\ud800-\udbff][\udc00-\udfff])+$ must be text without NUL
   */
  body: string;
}

export interface CommentOut {
  id: string;
  body: string;
  author_name: string | null;
  created_at: string;
  updated_at: string;
  created_by: string | null;
}

/** Newest first; at most 1,000 are listed. */
export interface CommentList {
  items: CommentOut[];
  total: number;
}
