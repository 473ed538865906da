import { defineEntity, p } from '@mikro-orm/core';

export const SignInPlaceSchema = defineEntity({
  name: 'SignInPlace',
  tableName: 'sign_in_place',
  properties: {
    userId: p.uuid().primary(),
    addressHash: p.text().primary(),
    seenAt: p.datetime().defaultRaw('now()'),
  },
});

export class SignInPlace extends SignInPlaceSchema.class {}
SignInPlaceSchema.setClass(SignInPlace);
