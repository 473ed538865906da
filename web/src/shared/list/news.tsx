import { Button } from '@mantine/core';
import { text } from '../../text';

interface NewsProps {
  /** Rows that came and rows that went since the list was shown. */
  readonly fresh: number;
  readonly gone: number;
  readonly onShow: () => void;
}

/** Says that there are other rows by now, and shows them. */
export function News({ fresh, gone, onShow }: NewsProps) {
  if (fresh + gone === 0) return null;
  return (
    <Button variant="light" size="compact-sm" onClick={onShow}>
      {text.lists.news(fresh, gone)}
    </Button>
  );
}
