/** Shape of every failure. `error_id` is found again in the server log. */
export interface ErrorOut {
  error_id: string;
  /** Machine-readable category; one code per status. */
  code: string;
  /** One line for people. */
  message: string;
  /** More about it, such as allowed values or missing chunks; null when there is none. */
  detail: unknown;
}

export interface ValidationItem {
  /** Place of the input, such as `["body", "name"]`. */
  loc: Array<string | number>;
  msg: string;
  type: string;
}

/** A 422 answer: both FastAPI's shape (`detail`) and the platform's. */
export interface HTTPValidationError {
  error_id: string;
  code: 'unprocessable_entity';
  message: string;
  detail: ValidationItem[];
}
