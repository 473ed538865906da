export type PreviewKind = 'picture' | 'svg' | 'json' | 'text' | null;

const PICTURES = /\.(?:png|jpe?g|gif|webp|bmp)$/i;
const TEXTS = /\.(?:txt|log|csv|tsv|ya?ml|md|py|html?|xml|toml|ini|cfg|sh)$/i;
/** Names without an ending that are texts. */
const TEXT_NAMES = /(?:^|\/)(?:MLmodel|Dockerfile|README|LICENSE|NOTICE)$/;

/** How a file is shown: a picture by an img alone, so that no script in it runs; HTML as its text. */
export function previewKind(path: string): PreviewKind {
  if (PICTURES.test(path)) return 'picture';
  if (/\.svg$/i.test(path)) return 'svg';
  if (/\.json$/i.test(path)) return 'json';
  return TEXTS.test(path) || TEXT_NAMES.test(path) ? 'text' : null;
}
