// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

// The timelines of a report: drawn from the data in the page, zoomed and moved by mouse and keys. What others wrote
// (names of sessions and locks) is drawn or set as text only.
"use strict";
(function () {
    const STATES = ["away", "work", "hold", "wait", "dead"];
    const LANE = 30, AXIS = 26, GAP = 4;

    function bytesOf(base64) {
        const text = atob(base64.trim());
        const bytes = new Uint8Array(text.length);
        for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
        return bytes;
    }

    // Flat lists of [gap, length, …rest] become arrays of absolute times, for binary search.
    function unpack(flat, width) {
        const list = { from: [], to: [], rest: [] };
        let at = 0;
        for (let i = 0; i < flat.length; i += width) {
            const from = at + flat[i], to = from + flat[i + 1];
            list.from.push(from);
            list.to.push(to);
            list.rest.push(flat.slice(i + 2, i + width));
            at = to;
        }
        return list;
    }

    function firstEndingAfter(list, at) {
        let low = 0, high = list.to.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (list.to[middle] <= at) low = middle + 1;
            else high = middle;
        }
        return low;
    }

    function decimalsOf(step, unit) {
        let decimals = 0;
        for (let part = unit; part > 1 && step % part !== 0; part /= 10) ++decimals;
        return decimals;
    }

    // Round times in microseconds, those of TimeScale.cpp.
    const strides = [1, 10, 100, 1e3, 1e4, 1e5].flatMap(power => [power, 2 * power, 5 * power]).concat(
        [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400]
            .map(seconds => seconds * 1e6));
    function tickStep(span, width, room) {
        return strides.find(stride => stride >= span * room / width) ?? strides.at(-1);
    }

    function duration(us) {
        if (us === 0) return "0";
        const unit = us >= 1e6 ? [1e6, "s"] : us >= 1e3 ? [1e3, "ms"] : [1, "µs"], number = us / unit[0];
        return parseFloat(number.toFixed(number < 10 ? 2 : number < 100 ? 1 : 0)) + " " + unit[1];
    }

    class Timeline {
        constructor(place, run, data) {
            this.run = run;
            this.data = data;
            this.lanes = run.lanes.map(lane => ({
                name: lane.name, subjects: lane.subjects,
                spans: unpack(lane.spans, 4), marks: unpack(lane.marks, 5), overlaps: unpack(lane.overlaps, 3)
            }));
            this.end = Math.max(run.end, 1);
            this.from = 0;
            this.to = this.end;
            this.canvas = place.querySelector("canvas");
            this.tip = place.querySelector(".tip");
            for (const button of place.querySelectorAll("button"))
                button.addEventListener("click", () => this.act(button.dataset.act));
            this.listen();
            this.draw();
        }

        listen() {
            const canvas = this.canvas;
            canvas.addEventListener("wheel", event => {
                // Who only scrolls past is not caught.
                if (!event.ctrlKey && !event.metaKey && document.activeElement !== canvas) return;
                event.preventDefault();
                this.zoom(Math.pow(1.4, -event.deltaY / 100), event.offsetX - this.gutter);
            }, { passive: false });
            canvas.addEventListener("pointerdown", event => {
                canvas.focus({ preventScroll: true });
                canvas.setPointerCapture(event.pointerId);
                this.drag = event.offsetX;
            });
            for (const end of ["pointerup", "pointercancel"])
                canvas.addEventListener(end, () => { this.drag = null; });
            canvas.addEventListener("pointermove", event => {
                if (this.drag != null) {
                    this.move((this.drag - event.offsetX) * (this.to - this.from) / this.width);
                    this.drag = event.offsetX;
                }
                this.hover(event.offsetX, event.offsetY);
            });
            canvas.addEventListener("pointerleave", () => { this.tip.hidden = true; });
            canvas.addEventListener("keydown", event => {
                const keys = { "+": "closer", "=": "closer", "-": "further", "0": "all",
                    "ArrowLeft": "earlier", "ArrowRight": "later", "n": "next", "p": "previous" };
                if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
                event.preventDefault();
                this.act(keys[event.key]);
            });
            new ResizeObserver(() => this.draw()).observe(canvas);
            matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
        }

        act(what) {
            const span = this.to - this.from;
            if (what === "closer") this.zoom(1.4, this.width / 2);
            else if (what === "further") this.zoom(1 / 1.4, this.width / 2);
            else if (what === "all") this.show(0, this.end);
            else if (what === "earlier") this.move(-span / 5);
            else if (what === "later") this.move(span / 5);
            else if (what === "next") this.goToLoss(1);
            else if (what === "previous") this.goToLoss(-1);
        }

        zoom(factor, x) {
            const span = this.to - this.from, at = this.from + span * x / this.width;
            const length = Math.min(Math.max(span / factor, Math.min(200, this.end)), this.end);
            this.show(at - length * x / this.width, length);
        }

        move(by) { this.show(this.from + by, this.to - this.from); }

        show(from, length) {
            this.from = Math.min(Math.max(from, 0), this.end - length);
            this.to = this.from + length;
            this.draw();
        }

        goToLoss(way) {
            // From the one that was gone to last, as long as it is on view; at an end it is not in the middle.
            const losses = this.run.losses, isSeen = this.loss >= this.from && this.loss <= this.to;
            const at = isSeen ? this.loss : way > 0 ? this.from - 1 : this.to + 1;
            const found = way > 0 ? losses.find(loss => loss > at) : losses.filter(loss => loss < at).pop();
            if (found === undefined) return;
            this.loss = found;
            // Of the whole run there is nothing to move.
            const length = Math.min(this.to - this.from, Math.max(this.end / 8, Math.min(200, this.end)));
            this.show(found - length / 2, length);
        }

        xOf(at) { return (at - this.from) * this.width / (this.to - this.from); }

        draw() {
            const canvas = this.canvas, scale = devicePixelRatio || 1;
            const whole = canvas.clientWidth, height = AXIS + this.lanes.length * LANE;
            const style = getComputedStyle(document.documentElement);
            const color = name => style.getPropertyValue("--" + name).trim();
            canvas.width = Math.round(whole * scale);
            canvas.height = Math.round(height * scale);
            canvas.style.height = height + "px";
            const paper = canvas.getContext("2d");
            paper.scale(scale, scale);
            paper.font = "13px system-ui, sans-serif";
            paper.textBaseline = "middle";
            this.gutter = Math.min(150, Math.max(60,
                ...this.lanes.map(lane => paper.measureText(lane.name).width + 18)));
            this.width = Math.max(50, whole - this.gutter - 4);
            paper.fillStyle = color("base");
            paper.fillRect(0, 0, whole, height);
            const colors = { work: color("work"), hold: color("hold"), wait: color("wait"), dead: color("muted"),
                hatch: color("hatch"), bad: color("bad"), onBad: color("on-bad"), text: color("text"),
                base: color("base") };
            this.lanes.forEach((lane, i) => {
                const top = AXIS + i * LANE;
                if (i % 2 === 1) {
                    paper.fillStyle = color("stripe");
                    paper.fillRect(0, top, whole, LANE);
                }
                this.drawLane(paper, lane, top, colors);
                paper.fillStyle = colors.text;
                paper.fillText(lane.name, 8, top + LANE / 2, this.gutter - 14);
            });
            this.drawAxis(paper, whole, color);
            // For whoever drives the page.
            canvas.dataset.from = String(Math.round(this.from));
            canvas.dataset.to = String(Math.round(this.to));
            canvas.dataset.loss = String(this.loss ?? "");
        }

        drawLane(paper, lane, top, colors) {
            paper.save();
            paper.beginPath();
            paper.rect(this.gutter, top, this.width, LANE);
            paper.clip();
            let lastX = -1, lastState = -1;
            const spans = lane.spans;
            for (let i = firstEndingAfter(spans, this.from); i < spans.from.length && spans.from[i] < this.to; ++i) {
                const left = this.xOf(Math.max(spans.from[i], this.from));
                const right = this.xOf(Math.min(spans.to[i], this.to)), state = spans.rest[i][0];
                const x = Math.floor(left), width = Math.max(1, Math.ceil(right) - x);
                if (width === 1 && x === lastX && state === lastState) continue;
                lastX = x;
                lastState = state;
                this.drawSpan(paper, lane, this.gutter + x, width, top, STATES[state], spans.rest[i][1], colors);
            }
            paper.fillStyle = colors.bad;
            const overlaps = lane.overlaps;
            for (let i = firstEndingAfter(overlaps, this.from);
                i < overlaps.from.length && overlaps.from[i] < this.to; ++i) {
                const x = Math.floor(this.xOf(overlaps.from[i]));
                const width = Math.max(2, this.xOf(overlaps.to[i]) - x);
                paper.fillRect(this.gutter + x, top + LANE - 7, width, 6);
                paper.globalAlpha = 0.22;
                paper.fillRect(this.gutter + x, top, width, LANE);
                paper.globalAlpha = 1;
            }
            this.drawMarks(paper, lane, top, colors);
            paper.restore();
        }

        drawSpan(paper, lane, x, width, top, state, subject, colors) {
            const y = top + 4, height = LANE - 11;
            if (state === "work") {
                paper.fillStyle = colors.work;
                paper.fillRect(x, top + LANE / 2 - 2, width, 4);
                return;
            }
            paper.fillStyle = colors[state];
            paper.globalAlpha = state === "dead" ? 0.35 : 1;
            paper.fillRect(x, y, width, height);
            paper.globalAlpha = 1;
            if (state === "wait" && width > 3) {
                paper.save();
                paper.beginPath();
                paper.rect(x, y, width, height);
                paper.clip();
                paper.strokeStyle = colors.hatch;
                paper.lineWidth = 1;
                paper.beginPath();
                for (let foot = Math.floor((x - height) / 6) * 6; foot < x + width; foot += 6) {
                    paper.moveTo(foot, y + height);
                    paper.lineTo(foot + height, y);
                }
                paper.stroke();
                paper.restore();
            }
            const name = lane.subjects[subject];
            if (width > 60 && name) {
                const length = Math.min(paper.measureText(name).width, width - 8);
                paper.fillStyle = colors[state];
                paper.fillRect(x + 2, y, length + 4, height);
                paper.fillStyle = colors.base;
                paper.fillText(name, x + 4, y + height / 2 + 1, width - 8);
            }
        }

        drawMarks(paper, lane, top, colors) {
            const marks = lane.marks;
            const first = firstEndingAfter(marks, this.from - 1);
            let free = -20, lit = -1;
            paper.fillStyle = colors.bad;
            for (let i = first; i < marks.from.length && marks.from[i] <= this.to; ++i) {
                const x = Math.floor(this.xOf(marks.from[i]));
                if (x === lit || !this.data.marks[marks.rest[i][0]][2]) continue;
                lit = x;
                paper.fillRect(this.gutter + x, top + 1, 2, LANE - 2);
            }
            for (let i = first; i < marks.from.length && marks.from[i] <= this.to; ++i) {
                const [letter, , isLoss] = this.data.marks[marks.rest[i][0]], x = Math.floor(this.xOf(marks.from[i]));
                if (x < free) continue;
                free = x + 12;
                paper.fillStyle = isLoss ? colors.bad : colors.base;
                paper.strokeStyle = isLoss ? colors.bad : colors.text;
                paper.lineWidth = 1;
                paper.fillRect(this.gutter + x - 5, top + 1, 11, 12);
                paper.strokeRect(this.gutter + x - 4.5, top + 1.5, 10, 11);
                paper.fillStyle = isLoss ? colors.onBad : colors.text;
                paper.save();
                paper.font = "bold 9px system-ui, sans-serif";
                paper.textAlign = "center";
                paper.fillText(letter, this.gutter + x + 0.5, top + 8);
                paper.restore();
            }
        }

        drawAxis(paper, whole, color) {
            paper.fillStyle = color("base");
            paper.fillRect(0, 0, whole, AXIS);
            paper.fillStyle = color("bad");
            let last = -1;
            for (const at of this.run.losses) {
                const x = Math.floor(this.xOf(at));
                if (x < 0 || x > this.width || x === last) continue;
                last = x;
                paper.fillRect(this.gutter + x, AXIS - GAP, 2, GAP);
            }
            const step = tickStep(this.to - this.from, this.width, 90);
            const unit = this.to >= 1e6 ? [1e6, " s"] : this.to >= 1e3 ? [1e3, " ms"] : [1, " µs"];
            const decimals = decimalsOf(step, unit[0]), labels = [];
            paper.textAlign = "center";
            for (let at = Math.ceil(this.from / step) * step; at <= this.to; at += step) {
                const text = at === 0 ? "0" : (at / unit[0]).toFixed(decimals) + unit[1];
                labels.push(text);
                paper.fillStyle = color("muted");
                paper.fillRect(this.gutter + this.xOf(at), AXIS - 5, 1, 5);
                paper.fillText(text, Math.min(this.gutter + this.xOf(at), whole - 32), AXIS / 2 - 2);
            }
            paper.textAlign = "left";
            paper.fillStyle = color("line");
            paper.fillRect(0, AXIS, whole, 1);
            this.canvas.dataset.labels = labels.join("|");
        }

        words(lane, at, reach) {
            const spans = lane.spans, i = firstEndingAfter(spans, at), lines = [];
            if (i < spans.from.length && spans.from[i] <= at) {
                const subject = lane.subjects[spans.rest[i][1]], state = this.data.states[spans.rest[i][0]];
                lines.push(lane.name + ", from " + duration(spans.from[i]) + ": " + state + " for "
                    + duration(spans.to[i] - spans.from[i]) + (subject ? " (“" + subject + "”)" : ""));
            } else {
                lines.push(lane.name + ": " + this.data.states[0]);
            }
            const overlaps = lane.overlaps, k = firstEndingAfter(overlaps, at);
            if (k < overlaps.from.length && overlaps.from[k] <= at)
                lines.push("not alone in “" + lane.subjects[overlaps.rest[k][0]] + "”: that must not be");
            const marks = lane.marks;
            for (let m = firstEndingAfter(marks, at - reach); m < marks.from.length && marks.from[m] <= at + reach; ++m) {
                const [kind, subject, other] = marks.rest[m];
                lines.push("at " + duration(marks.from[m]) + ": " + this.data.marks[kind][1]
                    + (other > 0 ? ", that of session " + this.lanes[other - 1].name : "")
                    + (lane.subjects[subject] ? " (" + lane.subjects[subject] + ")" : ""));
                if (lines.length > 6) break;
            }
            return lines.join("\n");
        }

        hover(x, y) {
            const lane = this.lanes[Math.floor((y - AXIS) / LANE)];
            if (!lane || x < this.gutter) {
                this.tip.hidden = true;
                return;
            }
            const span = this.to - this.from, at = this.from + span * (x - this.gutter) / this.width;
            this.tip.textContent = this.words(lane, at, span * 5 / this.width);
            this.tip.hidden = false;
            this.tip.style.left = Math.max(0, Math.min(x + 14, this.canvas.clientWidth - this.tip.offsetWidth - 4)) + "px";
            this.tip.style.top = (y + 18) + "px";
        }
    }

    async function begin() {
        const packed = bytesOf(document.getElementById("data").textContent);
        const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
        const data = await new Response(stream).json();
        document.querySelectorAll(".timeline").forEach((place, i) => new Timeline(place, data.runs[i], data));
        document.documentElement.dataset.ready = "yes";
    }

    begin();
})();
