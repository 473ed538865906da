import Anser from 'anser';
import { memo } from 'react';
import './log.css';
import { highlighted } from './log-lines';

/** Longer lines are cut; the file has them whole. */
const MOST_LETTERS = 4000;
const ESCAPE = '\u001b[';

/** One line with the colours that its program gave it, as elements: a log is never read as HTML. */
export const LogLine = memo(function LogLine({ line, q }: { line: string; q: string }) {
  const shown = line.length > MOST_LETTERS ? `${line.slice(0, MOST_LETTERS)}…` : line;
  if (!shown.includes(ESCAPE)) return <Marked text={shown} q={q} />;
  let place = 0;
  return Anser.ansiToJson(shown, { use_classes: true, remove_empty: true }).map((part) => (
    <span
      key={`${place++}`}
      className={[part.fg, part.bg && `${part.bg}-bg`, ...part.decorations.map((name) => `ansi-${name}`)]
        .filter(Boolean)
        .join(' ')}
    >
      <Marked text={part.content} q={q} />
    </span>
  ));
});

function Marked({ text, q }: { text: string; q: string }) {
  if (q === '') return text;
  let place = 0;
  return highlighted(text, q).map((piece) =>
    piece.isHit ? <mark key={`${place++}`}>{piece.text}</mark> : <span key={`${place++}`}>{piece.text}</span>,
  );
}
