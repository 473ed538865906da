import { memo } from 'react';
import type { Drawing, Drawn } from './drawn.types';
import { maskPath } from '../../shared/run-mask';
import { colourOf } from '../../shared/class-colours';

/** What is drawn of the objects. */
export interface Layers {
  readonly boxes: boolean;
  readonly masks: boolean;
  readonly points: boolean;
}

interface OverlayProps {
  readonly drawing: Drawing;
  /** Size of the upright picture, which the numbers speak of. */
  readonly width: number;
  readonly height: number;
  readonly classes: readonly string[];
  readonly layers: Layers;
  /** `slice` where the picture is cut to fill its place, `meet` where all of it is seen. */
  readonly fit: 'slice' | 'meet';
  /** Place of the object that stands out; null: none. */
  readonly chosen?: number | null;
}

/** Boxes, masks and key points over a picture. */
export const Overlay = memo(function Overlay(props: OverlayProps) {
  const { drawing, width, height, classes, layers, fit, chosen = null } = props;
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio={`xMidYMid ${fit}`}
      aria-hidden="true"
      style={{ position: 'absolute', inset: 0, width: '100%', height: '100%', pointerEvents: 'none' }}
    >
      {drawing.objects.map((object, at) => (
        <g
          // biome-ignore lint/suspicious/noArrayIndexKey: objects have no other name and keep their order
          key={at}
          opacity={chosen === null || chosen === at ? 1 : 0.25}
        >
          <Shape object={object} colour={colourOf(object.label, classes)} layers={layers} unit={width} />
        </g>
      ))}
    </svg>
  );
});

function Shape({
  object,
  colour,
  layers,
  unit,
}: {
  object: Drawn;
  colour: string;
  layers: Layers;
  unit: number;
}) {
  const { box, polygons, mask, isTurned } = object;
  const filled = { fill: colour, fillOpacity: 0.35 };
  return (
    <>
      {layers.masks && mask && <path d={maskPath(mask)} {...filled} shapeRendering="crispEdges" />}
      {layers.masks &&
        !isTurned &&
        polygons.map((polygon) => (
          <polygon
            key={polygon.join(' ')}
            points={polygon.join(' ')}
            {...filled}
            stroke={colour}
            strokeWidth={1.5}
            vectorEffect="non-scaling-stroke"
          />
        ))}
      {layers.boxes && !isTurned && <Box box={box} colour={colour} isCrowd={object.isCrowd} />}
      {layers.boxes && isTurned && <TurnedBox corners={polygons[0] ?? []} colour={colour} />}
      {layers.points && <Points object={object} colour={colour} radius={Math.max(1, unit / 130)} />}
    </>
  );
}

/** A dark line below the coloured one keeps it visible on any ground. */
function Box({
  box: [left, top, right, bottom],
  colour,
  isCrowd,
}: {
  box: Drawn['box'];
  colour: string;
  isCrowd: boolean;
}) {
  const place = {
    x: left,
    y: top,
    width: Math.max(0, right - left),
    height: Math.max(0, bottom - top),
    fill: 'none',
    vectorEffect: 'non-scaling-stroke',
  };
  return (
    <>
      <rect {...place} stroke="#000" strokeOpacity={0.55} strokeWidth={4} />
      <rect {...place} stroke={colour} strokeWidth={2} strokeDasharray={isCrowd ? '6 4' : undefined} />
    </>
  );
}

function TurnedBox({ corners, colour }: { corners: readonly number[]; colour: string }) {
  const place = { points: corners.join(' '), fill: 'none', vectorEffect: 'non-scaling-stroke' };
  return (
    <>
      <polygon {...place} stroke="#000" strokeOpacity={0.55} strokeWidth={4} />
      <polygon {...place} stroke={colour} strokeWidth={2} />
    </>
  );
}

function Points({
  object: { points, skeleton },
  colour,
  radius,
}: {
  object: Drawn;
  colour: string;
  radius: number;
}) {
  return (
    <>
      {skeleton.map(([from, to]) => {
        const [a, b] = [points[from], points[to]];
        return a && b ? (
          <line
            key={`${from} ${to}`}
            x1={a[0]}
            y1={a[1]}
            x2={b[0]}
            y2={b[1]}
            stroke={colour}
            strokeWidth={2}
            vectorEffect="non-scaling-stroke"
          />
        ) : null;
      })}
      {points.map((point, at) =>
        point ? (
          <circle
            // biome-ignore lint/suspicious/noArrayIndexKey: the place is the point's name
            key={at}
            cx={point[0]}
            cy={point[1]}
            r={radius}
            fill={point[2] ? colour : 'none'}
            stroke={point[2] ? '#000' : colour}
            strokeWidth={1}
            vectorEffect="non-scaling-stroke"
          />
        ) : null,
      )}
    </>
  );
}
