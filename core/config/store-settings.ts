import { isIP } from 'node:net';
import { z } from 'zod';
import { doc } from './setting.js';

const text = z.string().min(1).optional();

/** How the platform signs in to the object store and spells its addresses. The first way that is named is the one. */
export const storeSettings = {
  S3_ACCESS_KEY: doc(text, {
    text: 'object store access key, together with S3_SECRET_KEY; without them the AWS_ variables below say how to sign in',
    secret: true,
  }),
  S3_SECRET_KEY: doc(text, { text: 'object store secret key', secret: true }),
  S3_ADDRESSING: doc(z.enum(['auto', 'path', 'virtual']).default('auto'), {
    text: 'where the bucket stands in addresses: path https://host/bucket/key, virtual https://bucket.host/key; auto is path, except with s3.amazonaws.com',
  }),
  AWS_ACCESS_KEY_ID: doc(text, {
    text: 'access key, together with AWS_SECRET_ACCESS_KEY',
    secret: true,
  }),
  AWS_SECRET_ACCESS_KEY: doc(text, { text: 'its secret key', secret: true }),
  AWS_SESSION_TOKEN: doc(text, { text: 'session token of temporary keys', secret: true }),
  AWS_ROLE_ARN: doc(text, {
    text: 'role to take with the token in AWS_WEB_IDENTITY_TOKEN_FILE; renewed before it ends',
  }),
  AWS_WEB_IDENTITY_TOKEN_FILE: doc(text, { text: 'file of the web identity token' }),
  AWS_ENDPOINT_URL_STS: doc(z.url({ protocol: /^https?$/ }).optional(), {
    text: 'address of the security token service, where it is not that of Amazon in AWS_REGION',
  }),
  AWS_REGION: doc(text, { text: 'region of the security token service' }),
  AWS_SHARED_CREDENTIALS_FILE: doc(text, {
    text: 'credentials file; one with a session token is read again every five minutes',
  }),
  AWS_PROFILE: doc(z.string().min(1).default('default'), { text: 'profile in it' }),
};

type Given = Readonly<Record<string, string | undefined>>;
const PAIRS = [
  ['S3_ACCESS_KEY', 'S3_SECRET_KEY'],
  ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
  ['AWS_ROLE_ARN', 'AWS_WEB_IDENTITY_TOKEN_FILE'],
] as const;

/** Rules between the settings of the object store. */
export function storeProblems(given: Given): string[] {
  // Whoever names the first way need not tidy up what the machine says of the others.
  const pairs = given.S3_ACCESS_KEY === undefined ? PAIRS : PAIRS.slice(0, 1);
  const halves = pairs.filter(([one, other]) => (given[one] === undefined) !== (given[other] === undefined));
  const isNamed =
    given.AWS_SHARED_CREDENTIALS_FILE !== undefined || PAIRS.some(([one]) => given[one] !== undefined);
  return [
    ...halves.map(([one, other]) => `${one}, ${other}: give both, or none`),
    ...(isNamed || halves.length > 0
      ? []
      : [
          `S3_ACCESS_KEY: is missing (or name another way to sign in to the object store: ${PAIRS.slice(1)
            .map((pair) => pair.join(' and '))
            .join('; ')}; AWS_SHARED_CREDENTIALS_FILE)`,
        ]),
    ...(given.S3_ADDRESSING === 'virtual' && isPlainAddress(given.S3_ENDPOINT)
      ? ['S3_ADDRESSING: virtual needs a host name in S3_ENDPOINT, not an address of a machine']
      : []),
  ];
}

function isPlainAddress(endpoint: string | undefined): boolean {
  const host = URL.parse(endpoint ?? '')?.hostname.replace(/^\[|\]$/g, '') ?? '';
  return host === 'localhost' || isIP(host) !== 0;
}
