import { describe, expect, it } from '@jest/globals';
import { requireEmailAddress } from '../../../models/accounts/email-address.js';

/** Verdicts of email-validator 2.4.0 (Python) without deliverability checks, as FastAPI-Users asks it. */
const TAKEN: readonly string[] = [
  'u@b.c',
  'u@b.1c',
  'u@x.co',
  'u@я.рф',
  'u@ー.jp',
  'u@a.cøm',
  'u@ı.com',
  'u@\u30fbア.jp',
  'u@日本.jp',
  'u@a.0x7f',
  'u@faß.de',
  'u@א1.com',
  'u@\u06f3a.com',
  'u@例え.テスト',
  'u@l\u00b7l.com',
  'u@אבג.com',
  'u@l\u00b7la.cat',
  'u@x.museum',
  'u@a.b.c.d.e',
  'u@x.example',
  'a@example.org',
  'u@example.org',
  'ü@example.org',
  '\ufb01@example.org',
  '\u{1f600}@example.org',
  '-a@example.org',
  'a-@example.org',
  '日本@example.org',
  '\uff11\uff12@example.org',
  'A_b@example.org',
  'a+b@example.org',
  'a.b@example.org',
  'ada@example.org',
  'ü.é@example.org',
  'info@example.org',
  'u@bücher.example',
  "o'hara@example.org",
  'a!#$%&*+-/=?^_`{|}~@example.org',
];

/** Taken in another form. */
const NORMALIZED: ReadonlyArray<readonly [string, string]> = [
  ['u@a\uff0ecom', 'u@a.com'],
  ['u@İ.com', 'u@i\u0307.com'],
  ['u@ſ.com', 'u@s.com'],
  ['u@\ufb01.com', 'u@fi.com'],
  ['u@\uff41.com', 'u@a.com'],
  ['u@K\u212a.com', 'u@kk.com'],
  ['u@a\u0301.com', 'u@á.com'],
  ['u@例え\u3002テスト', 'u@例え.テスト'],
  ['u@A.B.Com', 'u@a.b.com'],
  ['u@EXAMPLE.org', 'u@example.org'],
  ['K\u212a@example.org', 'KK@example.org'],
  ['e\u0301@example.org', 'é@example.org'],
  ['a\u1fefb@example.org', 'a`b@example.org'],
  ['u@xn--fa-hia.de', 'u@faß.de'],
  ['u@BÜCHER.example', 'u@bücher.example'],
  ['Sales@example.org', 'sales@example.org'],
  ['u@bu\u0308cher.example', 'u@bücher.example'],
  ['u@Xn--Bcher-Kva.Ch', 'u@bücher.ch'],
  ['u@xn--strae-oqa.de', 'u@straße.de'],
  ['u@xn--80ak6aa92e.com', 'u@аррӏе.com'],
  ['POSTMASTER@example.org', 'postmaster@example.org'],
  ['u@XN--BCHER-KVA.example', 'u@bücher.example'],
  ['u@xn--bcher-kva.example', 'u@bücher.example'],
];

const REFUSED: readonly string[] = [
  'a',
  '@@',
  'u@',
  'u@b',
  'u@..',
  'u@com',
  'u@b.c1',
  'u@test',
  'u@x.a1',
  'u@\u20d0.jp',
  'u@\u3031.jp',
  'u@\u30fb.jp',
  'a.b.com',
  'u@a\u2024com',
  'u@\u0663.com',
  'u@\u1100.com',
  'u@\u2603.com',
  'u@\u{1f600}.com',
  '@a@b.com',
  'u@-a.com',
  'u@-ü.com',
  'u@.b.com',
  'u@1א.com',
  'u@@b.com',
  'u@a-.com',
  'u@a.com/',
  'u@a.com?',
  'u@a.com\u3002',
  'u@a\u0663.com',
  'u@b..com',
  'u@b.com.',
  'u@x.arpa',
  'u@x.test',
  'u@x.xn--',
  'u@x\u00ad.com',
  'u@ü-.com',
  'u@ü_.com',
  'u@\u0301a.com',
  'u@אa.com',
  'a@b@c.com',
  'u@1.2.3.4',
  'u@a.local',
  'u@a@b.com',
  'u@a\u00b7b.com',
  'u@a\u200db.com',
  'u@example',
  'u@x.onion',
  'u@a.-b.com',
  'u@xn--p1ai',
  'u@क\u094d\u200dष.com',
  'u@[1.2.3.4]',
  'u@a_b.ü.com',
  'u@ab--ü.com',
  'u@home.arpa',
  'u@localhost',
  'u@x.invalid',
  'u@xn--a.com',
  '@example.org',
  'u@[IPv6:::1]',
  'u@ab--cd.com',
  'u@a.localhost',
  'u@example,com',
  'u@xn--aa-.com',
  'u@xn--n3h.com',
  '\ue000@example.org',
  '.a@example.org',
  'a.@example.org',
  'a\ud7ff@example.org',
  'u@ex ample.com',
  'u@ex_ample.com',
  'u@ex\u200bample.com',
  'u@xn--abc-.com',
  '\u0301a@example.org',
  '"a"@example.org',
  'a\u0000b@example.org',
  'a\tb@example.org',
  'a\nb@example.org',
  'a b@example.org',
  'a"b@example.org',
  'a,b@example.org',
  'a:b@example.org',
  'a;b@example.org',
  'a<b@example.org',
  'a>b@example.org',
  'a\\b@example.org',
  'ada\uff20example.org',
  'a\u007fb@example.org',
  'a\u00a0b@example.org',
  'a\u00adb@example.org',
  'a\u0378b@example.org',
  'a\u037eb@example.org',
  'a\u200bb@example.org',
  'a\u202eb@example.org',
  'a\u3000b@example.org',
  ' ada@example.org',
  'a(b)@example.org',
  'a..b@example.org',
  'a[b]@example.org',
  'u@xn--zzzzzz.com',
  '"a b"@example.org',
  'x,victim@example.org',
  'ada@example.org,bob@example.org',
];

describe('an e-mail address', () => {
  /** Null: refused. */
  const verdict = (text: string): string | null => {
    try {
      return requireEmailAddress(text);
    } catch (error) {
      const detail = [{ loc: ['body', 'email'], msg: expect.stringMatching(/^must be an e-mail address: /) }];
      expect(error).toMatchObject({ code: 'unprocessable_entity', detail });
      return null;
    }
  };

  it.each(TAKEN)('is taken as it is: %j', (text) => {
    expect(verdict(text)).toBe(text);
  });

  it.each(NORMALIZED)('%j is taken as %j', (text, normal) => {
    expect(verdict(text)).toBe(normal);
    expect(verdict(normal)).toBe(normal);
  });

  it.each(REFUSED)('is refused: %j', (text) => {
    expect(verdict(text)).toBeNull();
  });

  it.each([
    ['254 bytes', `${'x'.repeat(242)}@example.org`, true],
    ['255 bytes', `${'x'.repeat(243)}@example.org`, false],
    ['254 bytes in fewer letters', `${'ü'.repeat(121)}@example.org`, true],
    ['256 bytes in fewer letters', `${'ü'.repeat(122)}@example.org`, false],
    ['a label of 63 letters', `u@${'a'.repeat(63)}.com`, true],
    ['a label of 64 letters', `u@${'a'.repeat(64)}.com`, false],
    ['254 bytes once its domain is encoded', `${'x'.repeat(90)}@${'ü.'.repeat(20)}org`, true],
    ['255 bytes once its domain is encoded', `${'x'.repeat(91)}@${'ü.'.repeat(20)}org`, false],
  ])('of %s is taken or refused by its length', (_what, text, isTaken) => {
    expect(verdict(text) !== null).toBe(isTaken);
  });
});
