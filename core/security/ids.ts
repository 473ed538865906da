declare const brand: unique symbol;
type Branded<T, Name> = T & { readonly [brand]: Name };

export type TenantId = Branded<string, 'TenantId'>;
export type UserId = Branded<string, 'UserId'>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => UUID.test(text);

function checked<T extends string>(text: string): T {
  if (!isUuid(text)) throw new TypeError('not a UUID');
  return text.toLowerCase() as T;
}

/** Only ids read from rows become TenantIds; they may be put into SQL text because their form is checked here. */
export const asTenantId = (text: string): TenantId => checked<TenantId>(text);
export const asUserId = (text: string): UserId => checked<UserId>(text);
