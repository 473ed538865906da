/**
 * @pattern ^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$
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
 * Code of a tenant; upper case is read as lower case.
 * @minLength 1
 * @maxLength 40
 */
export type TenantCodeText = string;
