/**
 * @pattern ^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$ must be a UUID
 * @format uuid
 */
export type Uuid = string;

/**
 * @isInt
 * @minimum 1
 * @maximum 10000000
 */
export type PageNumber = number;

/**
 * @isInt
 * @minimum 1
 * @maximum 200
 */
export type PageSize = number;

/** @maxLength 200 */
export type SearchText = string;

/**
 * Digest of data: that of a frozen dataset is the sha256 of its manifest in 64 hexadecimal digits; runs that were logged
 * from outside may have named another.
 * @minLength 1
 * @maxLength 200
 */
export type DataDigest = string;

/**
 * Code of a tenant; upper case is read as lower case.
 * @minLength 1
 * @maxLength 40
 */
export type TenantCodeText = string;

/**
 * A name or title: one line with something to be seen in it. The pattern is that of core/text/line-text.ts.
 * @minLength 1
 * @maxLength 200
 * @pattern ^(?![\s\u200b-\u200d\u2060\u2800\u3164]*$)(?:[^\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]|[\ud800-\udbff][\udc00-\udfff])+$ must be one line of visible text, without control characters and characters that turn the direction of writing
 */
export type LineText = string;

/**
 * The name of a person, or nothing.
 * @maxLength 200
 * @pattern ^(?![\s\u200b-\u200d\u2060\u2800\u3164]+$)(?:[^\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]|[\ud800-\udbff][\udc00-\udfff])*$ must be one line of visible text, without control characters and characters that turn the direction of writing
 */
export type PersonName = string;

/**
 * @maxLength 50
 * @pattern ^(?![\s\u200b-\u200d\u2060\u2800\u3164]+$)(?:[^\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]|[\ud800-\udbff][\udc00-\udfff])*$ must be one line of visible text, without control characters and characters that turn the direction of writing
 */
export type PhoneText = string;

/**
 * ISO 8601; without an offset it is UTC.
 * @format date-time
 * @maxLength 40
 */
export type InstantText = string;
