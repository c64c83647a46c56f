// Marks of trials, many at once.

// With more points than this, dots overlap: squares without an edge look the same and draw faster.
const CROWD = 1200;

/** Draw a mark of a shape in a colour at each point. */
export function drawMarks(context, shape, colour, edge, points) {
  if (shape === "dot" && points.length > CROWD) drawSquares(context, colour, points);
  else if (shape === "dot") drawDots(context, colour, edge, points);
  else drawOutlines(context, OUTLINES[shape], colour, points);
}

function drawSquares(context, colour, points) {
  context.fillStyle = colour;
  for (const [x, y] of points) context.fillRect(Math.round(x) - 2, Math.round(y) - 2, 4, 4);
}

function drawDots(context, colour, edge, points) {
  context.fillStyle = colour;
  context.strokeStyle = edge;
  context.lineWidth = 0.6;
  for (const [x, y] of points) {
    context.beginPath();
    context.arc(x, y, 3.2, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
  }
}

function drawOutlines(context, outline, colour, points) {
  context.strokeStyle = colour;
  context.lineWidth = 1.7;
  context.beginPath();
  for (const [x, y] of points) outline(context, x, y);
  context.stroke();
}

const OUTLINES = {
  ring: (context, x, y) => {
    context.moveTo(x + 6, y);
    context.arc(x, y, 6, 0, 2 * Math.PI);
  },
  diamond: (context, x, y) => {
    context.moveTo(x, y - 4);
    for (const [dx, dy] of [[4, 0], [0, 4], [-4, 0], [0, -4]]) context.lineTo(x + dx, y + dy);
  },
  cross: (context, x, y) => {
    for (const side of [-3, 3]) {
      context.moveTo(x + side, y - 3);
      context.lineTo(x - side, y + 3);
    }
  },
};
