import { domainToASCII, domainToUnicode } from 'node:url';
import { fieldError, unprocessable } from '../../core/errors/app-error.js';

/**
 * E-mail addresses as `email-validator` takes them for FastAPI-Users, without asking the DNS: a local part of atoms
 * between dots (RFC 5322, RFC 6531), no quotes, no comments, and a domain name that mail can reach (IDNA 2008).
 */
const MAX_BYTES = 254;
const MAX_DOMAIN = 253;
const ATOM = String.raw`[\w!#$%&'*+\-/=?^\x60{|}~\u0080-\u{10ffff}]+`;
const LOCAL = new RegExp(String.raw`^${ATOM}(\.${ATOM})*$`, 'u');
/** Neither control characters nor spaces, nor a mark without a letter to stand on. */
const VISIBLE = /^(?!\p{M})[\p{L}\p{M}\p{N}\p{P}\p{S}]+$/u;
const DOMAIN_TEXT = /^[a-zA-Z0-9.\-\u0080-\u{10ffff}]+$/u;
const HOSTNAME = /^(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))+$/;
/** Kept for prefixes such as `xn--`, of which that one alone is in use. */
const RESERVED_PREFIX = /(^|\.)(?!xn)..--/u;
/** Letters, digits and marks that IDNA 2008 allows in labels: everywhere, and where a rule of their own is kept (RFC 5892). */
const KANA = String.raw`[\p{sc=Hira}\p{sc=Kana}\p{sc=Han}]`;
const LABELS = new RegExp(
  String.raw`^(?:[\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}\-.\u06fd\u06fe\u0f0b\u3007\u200c\u200d]` +
    String.raw`|(?<=l)\u00b7(?=l)|\u0375(?=\p{sc=Grek})|(?<=\p{sc=Hebr})[\u05f3\u05f4]` +
    String.raw`|(?<=${KANA}[^.]*)\u30fb|\u30fb(?=[^.]*${KANA}))+$`,
  'u',
);
/** Hyphens at an end; old jamo, marks of notes, of symbols and of repeated kana, which are letters in name alone. */
const NO_LABEL = new RegExp(
  String.raw`(?:^|\.)-|-(?:\.|$)|[\u0640\u07fa\u1100-\u11ff\u20d0-\u20ff\u302e\u302f\u3031-\u3035\u303b]` +
    String.raw`|[\ua960-\ua97f\ud7b0-\ud7ff\u{1d100}-\u{1d24f}]`,
  'u',
);
/** RFC 6761 and its like: mail to them goes nowhere. `example` stays, for documents and tests. */
const SPECIAL_USE = /(^|\.)(arpa|invalid|local|localhost|onion|test)$/;
/** RFC 2142: the same mailbox in upper and lower case. */
const MAILBOXES =
  /^(info|marketing|sales|support|abuse|noc|security|postmaster|hostmaster|usenet|news|webmaster|www|uucp|ftp)$/i;

class NoAddress extends Error {}

/** The address in its normal form: composed letters, the domain in lower case and in the letters of its language. @throws AppError unprocessable_entity */
export function requireEmailAddress(text: string): string {
  try {
    return normalized(text);
  } catch (error) {
    if (error instanceof NoAddress)
      throw unprocessable([fieldError(['body', 'email'], `must be an e-mail address: ${error.message}`)]);
    throw error;
  }
}

function normalized(text: string): string {
  const at = text.indexOf('@');
  if (at < 0) throw new NoAddress('it has no @');
  const local = localPart(text.slice(0, at));
  const { ascii, readable } = domainName(text.slice(at + 1));
  const address = `${local}@${readable}`;
  if ([text, address, `${local}@${ascii}`].some((form) => Buffer.byteLength(form) > MAX_BYTES))
    throw new NoAddress(`it has more than ${MAX_BYTES} bytes`);
  return address;
}

function localPart(text: string): string {
  const local = text.normalize('NFC');
  for (const form of [text, local])
    if (!LOCAL.test(form) || !VISIBLE.test(form))
      throw new NoAddress(
        'before the @ stand letters, digits and signs such as + _ -, in parts between single dots',
      );
  return MAILBOXES.test(local) ? local.toLowerCase() : local;
}

function domainName(text: string): { ascii: string; readable: string } {
  const ascii = asciiDomain(text);
  if (ascii.length > MAX_DOMAIN || !HOSTNAME.test(ascii) || !/[a-z]$/.test(ascii))
    throw new NoAddress('after the @ stands a domain name such as example.org');
  if (SPECIAL_USE.test(ascii)) throw new NoAddress('no mail reaches its domain');
  return { ascii, readable: ascii.includes('xn--') ? readableDomain(ascii) : ascii };
}

/** @returns an empty text for what is no domain name */
function asciiDomain(text: string): string {
  const lower = text.toLowerCase();
  if (RESERVED_PREFIX.test(lower)) return '';
  if (/^\p{ASCII}*$/u.test(text)) return lower;
  return DOMAIN_TEXT.test(text) && VISIBLE.test(text) ? domainToASCII(text) : '';
}

function readableDomain(ascii: string): string {
  const readable = domainToUnicode(ascii);
  const isWhole = !readable.includes('xn--') && domainToASCII(readable) === ascii;
  if (!isWhole || !LABELS.test(readable) || NO_LABEL.test(readable))
    throw new NoAddress('its domain is not a valid international name');
  return readable;
}
