import { Box } from '@mantine/core';
import { type MouseEvent, useEffect, useState } from 'react';
import { colourOf } from '../../shared/class-colours';
import { pointedAt, shareOf } from '../../shared/pointed';
import { text } from '../../text';
import type { Picture } from './ask-model';
import type { Shape } from './prediction';

/** Smaller pictures are shown with their pixels, larger ones smoothly. */
const PIXELS_SHOWN_BELOW = 200;

interface DrawnProps {
  readonly picture: Picture;
  readonly shapes: readonly Shape[];
  /** In the order of their colours. */
  readonly classes: readonly string[];
  /** Key of the object that is pointed at. */
  readonly pointed: number | null;
  readonly onPoint: (key: number | null) => void;
  readonly onSize: (width: number, height: number) => void;
}

/** The picture with what the model found drawn over it. */
export function DrawnPicture({ picture, shapes, classes, pointed, onPoint, onSize }: DrawnProps) {
  const url = useObjectUrl(picture.bytes);
  const [size, setSize] = useState<readonly [number, number] | null>(null);
  const isSmall = size !== null && size[0] < PIXELS_SHOWN_BELOW;
  const label =
    shapes.length === 0
      ? text.serving.try.pictureOf(picture.name)
      : text.serving.try.pictureWith(picture.name, shapes.map((shape) => shape.label).join(', '));
  if (url === null) return null;
  const point = (event: MouseEvent) => {
    if (size === null || shapes.length === 0) return;
    const [width, height] = size;
    const edges = shapes.map(({ box }) => [box.x, box.y, box.x + box.width, box.y + box.height] as const);
    const at = pointedAt(edges, shareOf(event), { width, height });
    onPoint(at === null ? null : (shapes[at]?.key ?? null));
  };
  return (
    <Box
      style={{ position: 'relative', display: 'inline-block', maxWidth: '100%', lineHeight: 0 }}
      onMouseMove={point}
      onMouseLeave={() => onPoint(null)}
    >
      <img
        src={url}
        alt={label}
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
          setSize([naturalWidth, naturalHeight]);
          onSize(naturalWidth, naturalHeight);
        }}
        style={{
          maxWidth: '100%',
          maxHeight: 440,
          borderRadius: 4,
          ...(isSmall ? { width: 240, imageRendering: 'pixelated' } : {}),
        }}
      />
      {size !== null && shapes.length > 0 && (
        <svg
          aria-hidden
          viewBox={`0 0 ${size[0]} ${size[1]}`}
          style={{ position: 'absolute', inset: 0, width: '100%', height: '100%' }}
        >
          <Shapes
            shapes={shapes}
            classes={classes}
            pointed={pointed}
            unit={(Math.max(size[0], size[1]) / 100) * (isSmall ? 1.8 : 1)}
          />
        </svg>
      )}
    </Box>
  );
}

interface ShapesProps {
  readonly shapes: readonly Shape[];
  readonly classes: readonly string[];
  readonly pointed: number | null;
  /** A hundredth of the picture, for letters and points. */
  readonly unit: number;
}

function Shapes({ shapes, classes, pointed, unit }: ShapesProps) {
  return shapes.map((shape) => {
    const colour = colourOf(shape.label, classes);
    const { x, y, width, height } = shape.box;
    const isQuiet = pointed !== null && pointed !== shape.key;
    const letters = `${shape.label} ${shape.score.toFixed(2)}`;
    return (
      <g key={shape.key} stroke={colour} fill={colour} opacity={isQuiet ? 0.25 : 1}>
        {shape.mask !== null && <path d={shape.mask} stroke="none" fillOpacity={0.45} />}
        {shape.corners === null ? (
          <rect
            x={x}
            y={y}
            width={width}
            height={height}
            fill="none"
            strokeWidth={2}
            vectorEffect="non-scaling-stroke"
          />
        ) : (
          <polygon
            points={shape.corners.map((corner) => corner.join()).join(' ')}
            fill="none"
            strokeWidth={2}
            vectorEffect="non-scaling-stroke"
          />
        )}
        {shape.keypoints.map(([px, py]) => (
          <circle
            key={`${px} ${py}`}
            cx={px}
            cy={py}
            r={unit * 0.8}
            stroke="#000"
            strokeWidth={unit * 0.15}
          />
        ))}
        <g stroke="none">
          <rect x={x} y={Math.max(0, y - unit * 4)} width={letters.length * unit * 1.75} height={unit * 4} />
          <text x={x + unit * 0.6} y={Math.max(0, y - unit * 4) + unit * 3} fill="#000" fontSize={unit * 2.9}>
            {letters}
          </text>
        </g>
      </g>
    );
  });
}

/** An address of bytes in memory for as long as they are shown. */
function useObjectUrl(bytes: Blob): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(bytes);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes]);
  return url;
}
