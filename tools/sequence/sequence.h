/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera-sequence: what moves in a sequence of frames.
 *
 * The sequence is cut into blocks of frames.  A block is computed from its files alone: before its first frame it goes back to where its leg of the night
 * begins, and before that as far as its history reaches, twice, so that objects are out of that history too; behind its last one it goes on until that can be
 * judged.  So blocks can be made in any order, on any machine, of any size, and again after a run was ended; the tables are put together from them. */
#ifndef SEQUENCE_H
#define SEQUENCE_H

#include "content.h"
#include "detect.h"
#include "estimate-shift.h"
#include "frames.h"
#include "sky.h"
#include "streaks.h"
#include "tracks.h"
#include "whiten-request.h"

#define SEQUENCE_GROUP 16       /* frames that have one reference */
#define SEQUENCE_CUTOUT 65      /* px of the sky on each side of a picture of a track */
#define SEQUENCE_SHORT 8        /* frames of a short track */
#define SEQUENCE_MOST_MOVES (1 << 27)           /* of one search: velocities times frames; a pointer each */

typedef enum { WRITE_WHITENED, WRITE_BACKGROUND, WRITE_SIGNIFICANCE, WRITE_CALIBRATED, WRITE_KINDS } WriteKind;

/* A frame beyond one of them is left out. */
typedef struct
{
  gdouble least_stars, most_seeing, most_sky, least_light;      /* that of its reference's stars */
} QualityCut;

/* What results depend on. */
typedef struct
{
  QualityCut      quality;
  ShiftSettings   shift;        /* of planes whose bad pixels are NaN */
  WeightsSettings weights;
  gint            history, block;
  gint            night;        /* frames that false alarms are counted in; 0: all that there are */
  gint            apart;        /* frames beside one, on each side, that do not predict it */
  gboolean        is_past;      /* those behind it do not either */
  gint            every;        /* frames between searches for short tracks; 0: none */
  gint            stack;        /* frames that synthetic tracking adds; 0: none */
  gdouble         saturation;   /* negative: what the files say */
  gdouble         gain;         /* negative: what the frames show */
  gdouble         fwhm, fastest;
  gfloat          step;         /* between the files' numbers; found, not set */
  gdouble         threshold, track_threshold;   /* 0: such that noise alone passes them so often in all frames: */
  gdouble         false_detections, false_tracks;
  ColoursMode     colours;      /* what mosaics become */
  gboolean        chooses;      /* from-frames where from-shifts leaves stars */
  gboolean        rejects_hot, removes;         /* hot pixels; objects from the history */
  gboolean        writes[WRITE_KINDS];
} SequenceSettings;

/* What a frame was read from. */
typedef struct
{
  FileState state;
  gchar     hash[CONTENT_LENGTH];       /* empty: it has not been read */
  gboolean  is_read;            /* for the block that is made */
  gboolean  is_changed;         /* it was another one before */
} Content;

/* In this order, as each is made with those before it. */
typedef enum { MASTER_BIAS, MASTER_DARK, MASTER_FLAT, MASTER_BAD, MASTERS } MasterKind;

typedef struct
{
  gchar     *path;              /* of the file */
  gchar      hash[CONTENT_LENGTH];      /* of its bytes */
  gdouble    exposure;          /* NaN: not known */
  CountPlane plane;             /* pixels NULL: there is none */
} Master;

/* What the camera adds and takes.  A dark frame alone is no calibration: it is taken away behind the means of mosaics. */
typedef struct
{
  gboolean is_open;             /* frames are to be calibrated */
  gint     width, height;       /* of frames as they are read */
  gint     cell;                /* pixels of these that one of ours has on each axis */
  Master   masters[MASTERS];
} Calibration;

typedef struct
{
  SequenceSettings settings;
  gchar           *what, *folder;
  gchar           *master_paths[MASTERS];       /* as they were given; NULL: none */
  gchar           *dark_file;   /* of the dark frame that is alone; owned */
  Calibration      calibration;
  gdouble          exposure;    /* of a frame; NaN: not known */
  gdouble          cadence;     /* seconds from frame to frame, mostly; 0: not all have a time */
  FrameList        list;
  Content         *contents;    /* of the frames of the list */
  Content          dark_content;
  gchar            settings_hash[CONTENT_LENGTH];       /* once the folder is open */
  gint             width, height, blocks;
  gchar            pattern[FRAMES_PATTERN];     /* of the frames' mosaic; "": they are none */
  CountPlane       dark;        /* pixels NULL: none */
  FrameCache      *cache;
  gboolean         has_told;    /* which device it is */
  gboolean         is_live;     /* frames arrive */
  gint             is_refused;  /* atomic: a device is forced, and did not compute */
} Sequence;

/* sequence-frames.c: the size is that of most frames.  FALSE: none can be read, or the dark frame is none. */
gboolean    sequence_open   (Sequence *sequence, GError **error);
void        sequence_clear  (Sequence *sequence);
/* Electrons that one of its counts stands for; 0: not known. */
gdouble     sequence_gain   (const Sequence *sequence);
/* Less the dark frame, NaN where a pixel is bad.  The facts are the caller's; NULL: they are not wanted.  FALSE: the
 * frame cannot be used, and the error says why. */
gboolean    sequence_frame  (Sequence *sequence, gint index, CountPlane *plane, FrameFacts *facts, GError **error);

/* sequence-columns.c: pixels of columns that are dead or bright have no value. */
void        columns_hide    (CountPlane *plane);
/* What is left of stars beside columns without a value goes, as they are predicted from some of the frames only.  `plane`: of the frame. */
void        columns_clear_stars (const CountPlane *plane, const WhitenPlanes *planes, CountPlane *filtered);

/* sequence-masters.c: the name of an option, without its dashes. */
const gchar *master_name    (MasterKind kind);
/* The path of the only frame of `what`, or of the master that is made of its frames.  NULL: there is none. */
gchar      *master_file     (const Sequence *sequence, MasterKind kind, const gchar *what, GError **error);
gboolean    master_load     (Sequence *sequence, MasterKind kind, const gchar *what, GError **error);
/* FALSE: it is dark.  It has the size of the other masters. */
gboolean    master_divide_flat (const Calibration *has, Master *flat, GError **error);
/* By how much the dark's own light grows in a frame. */
gfloat      master_scale    (const Calibration *calibration, gdouble exposure);
/* What the camera added to a pixel. */
gfloat      master_taken    (const Calibration *calibration, gfloat scale, gsize at);
/* Of one pixel: the mean of what lies near the median.  They are sorted; NaN: there are none. */
gfloat      master_combine  (gfloat *values, gint n);

/* sequence-live.c: frames that arrive.  FALSE: there is no folder to watch. */
gboolean    live_can_follow (const gchar *what, GError **error);
/* Frames from the first on that is still written are no frames yet. */
void        live_settle     (FrameList *list);
/* Returns when there are more frames than so many. */
void        live_wait       (const gchar *what, gint frames);

/* sequence-calibrate.c: once the size and the pattern of the frames are known.  FALSE: a master cannot be used. */
gboolean    calibration_open  (Sequence *sequence, GError **error);
void        calibration_clear (Calibration *calibration);
/* A frame as it was read, of the calibration's size; from `full` counts on a pixel is full. */
CountPlane  calibration_apply (const Calibration *calibration, const FramePixels *pixels, ColoursMode colours, const gchar *pattern, gfloat full);

/* sequence-content.c: what was read, so that a result holds for the same frames only.
 *
 * The frame of any size, with its content.  NULL: it cannot be read, or not while it changes.  `is_alone`: there is no other frame in its file. */
FramePixels *content_decode   (FrameCache *cache, Frame *frame, gboolean is_alone, Content *content, GError **error);
gboolean     content_is_alone (const FrameList *list, gint index);
/* Before and after a block is made; frames from `first` to before `end`.  `end`: adds what was read to the block's lines, and seals them.  `is_open`: more
 * frames would make it another one.  FALSE: a frame has changed since a block before. */
void         content_begin    (Sequence *sequence, gint first, gint end);
gboolean     content_end      (const Sequence *sequence, gboolean is_open, gint first, gint end, GString *text, GError **error);
/* Was the block the end of a sequence that has grown since? */
gboolean     content_is_outgrown (const gchar *text, gint frames, gdouble cadence);
/* Is the text a block's, with all of its bytes? */
gboolean     content_is_whole (const gchar *text);
/* FALSE, with an error: the block was made of other frames. */
gboolean     content_check    (Sequence *sequence, gint block, const gchar *text, GError **error);
/* FALSE, with an error: the block at `path` was made of other frames than those before, or with other settings.  `seen` begins empty; it frees values. */
gboolean     content_agrees   (GHashTable *seen, const gchar *text, const gchar *path, GError **error);
/* The text without what holds on one machine alone. */
gchar       *content_portable (const gchar *text);

/* sequence-device.c: on the device or in C; where is_refused, of no use.
 *
 * FALSE: OpenCL is forced, and GEGL has not the operations that it takes. */
/* Says once which device computes. */
void        sequence_tell   (Sequence *sequence);
/* How many frames are compared at once; 1 without a device. */
gint        sequence_batch  (const Sequence *sequence);
/* `frames` lie one behind the other; `kept`: what keeps them on the device, or NULL. */
void        sequence_shifts (Sequence *sequence, ShiftKey *key, gint n, const gfloat *frames, TesseraKept *const *kept, Shift *found);
/* Of one frame that lies less than a pixel away. */
void        sequence_shifts_near (Sequence *sequence, ShiftKey *key, const gfloat *frame, Shift *found);
void        sequence_whiten (Sequence *sequence, const WhitenFrames *frames, WeightsMethod method, WhitenPlanes *planes,
                             Weights *weights);

/* sequence-light.c: the stars of a frame, with the light of each, and how much of that another frame has; NaN: too
 * few stars. */
typedef struct
{
  gint    x, y;
  gdouble light;
} LightStar;

GArray     *light_stars     (const CountPlane *plane);
gdouble     light_of        (const GArray *stars, const CountPlane *plane, gdouble shift_x, gdouble shift_y);

/* Of one place; the rim alone, a mean of its pixels.  NaN: it lies less than 4 pixels within. */
gdouble     light_at        (const CountPlane *plane, gint x, gint y);
gdouble     light_rim       (const CountPlane *plane, gint x, gint y);

/* Numbers that are not known are NaN. */
typedef struct
{
  gint    stars;                /* of the reference's, those that are seen */
  gdouble seeing;               /* full width at half maximum, px */
  gdouble sky;                  /* counts */
  gdouble light;                /* of the stars, binary logarithm: against the reference, then along its chain */
  gdouble noise;                /* of the whitened frame, counts */
  gdouble transparency;         /* of the light of the middle frame of the chain; not in a block's file */
} Quality;

/* sequence-left.c: the median, and the standard deviation of the noise around it. */
typedef struct
{
  gfloat level, width;
} SkyLevel;

/* `apart`: pixels of which one is looked at. */
#define SKY_APART 7
SkyLevel    left_sky        (const CountPlane *plane, gint apart);
SkyLevel    left_level      (const WhitenPlanes *planes);    /* of the background, with the noise of a frame */
gboolean    left_has_star   (const WhitenPlanes *planes, SkyLevel sky, gint x, gint y);    /* light above that and above the sky around */
/* sequence-left.c: the part of the stars' pixels that lie more than 3 standard deviations from the background; 0:
 * hardly any. */
gdouble     left_of_stars   (const WhitenPlanes *planes);
/* Gives the background's stars the light that they have in the frame.  FALSE: there are too few. */
gboolean    left_scale      (const CountPlane *current, WhitenPlanes *planes);
/* sequence-width.c: and the width.  FALSE: as left_scale. */
gboolean    width_match     (const CountPlane *current, WhitenPlanes *planes);

/* sequence-background.c: weights, and planes that are judged. */
void        background_find (Sequence *sequence, const WhitenFrames *frames, gdouble gain, WhitenPlanes *planes, Weights *weights);

/* sequence-gain.c: the electrons that a count stands for, as frames show it. */
typedef struct
{
  gint    pairs;                /* of frames that were added */
  GArray *samples;
  gdouble gain;                 /* 0: not known */
} GainShown;

void        gain_init       (GainShown *shown);
void        gain_clear      (GainShown *shown);
/* A frame, and what it was predicted from, with this noise gain.  `step`: as of SequenceSettings. */
void        gain_add        (GainShown *shown, const WhitenFrames *frames, const CountPlane *background, gdouble noise_gain, gfloat step);

/* A frame of a chain. */
typedef struct
{
  WhitenFrame frame;
  gint        index;
  gdouble     applied;          /* degrees that its plane is turned back by */
  GArray     *hidden;           /* pixels, until it is judged; NULL: none */
  gboolean    is_screened;      /* or judged */
} PlacedFrame;

/* sequence-screen.c: hides what passes through a frame that others before it are predicted from; `at`: where the
 * background lies; `step`: as of SequenceSettings. */
void        screen_frame    (PlacedFrame *frame, const CountPlane *background, FrameShift at, gfloat step);
/* FALSE: nothing was hidden. */
gboolean    screen_lift     (PlacedFrame *frame);
/* Its pixels have changed: what is on the device is not them. */
void        placed_renew    (PlacedFrame *frame);

/* How the sky is turned about the middle of the picture, in degrees from its x axis to its y axis. */
typedef struct
{
  gdouble angle, error;         /* against the first key of the chain; error INFINITY: too few stars */
} Turn;

/* A place in a picture; NaN: it is not known. */
typedef struct
{
  gdouble x, y;
} Point;

/* What frames are compared with. */
typedef struct
{
  CountPlane  plane;            /* turned back by: */
  gdouble     applied;          /* degrees; 0: as it was read */
  Turn        turn;
  ShiftKey    shifts;           /* which points to the plane */
  GArray     *stars;            /* LightStar */
  GArray     *middles;          /* Point, of each */
  gdouble     seeing;           /* NaN: not known */
} Key;

/* A frame against a key. */
typedef struct
{
  const CountPlane *raw;        /* the caller's */
  CountPlane        level;      /* pixels NULL: it is not turned back */
  gdouble           applied;    /* degrees that it is */
  Turn              turn;
  Shift             found;      /* of what is turned back */
} Laid;

/* sequence-turn.c: where a pixel lies in a picture that is turned by so many degrees. */
void        turn_place      (gdouble degrees, gint width, gint height, gdouble *x, gdouble *y);
/* The plane, without what it is turned by; NaN where it was not seen. */
void        turn_back       (const CountPlane *plane, gdouble degrees, CountPlane *level);
/* As it is kept: -180 to 180, on a grid whose sums are exact. */
gdouble     turn_rounded    (gdouble degrees);

/* sequence-angle.c: the middle of each star, a Point. */
GArray     *turn_middles    (const GArray *stars, const CountPlane *plane);
const CountPlane *laid_plane (const Laid *laid);
void        laid_clear      (Laid *laid);
/* Turns it back by so much, and finds where it lies then. */
void        laid_place      (Sequence *sequence, Key *key, gdouble degrees, Laid *laid);
/* What has been turned back, and lies where `found` says: turns it back better, as far as its stars say so.  `guess`: what it is turned by as those before
 * it are; NaN: not known.  TRUE: its plane is another one. */
gboolean    turn_settle     (Sequence *sequence, Key *key, gdouble guess, Laid *laid);
/* sequence-most.c: a shift that was found becomes that of most stars, where one that weighs much has not gone with them. */
void        most_stars      (Sequence *sequence, const Key *key, const CountPlane *plane, Shift *found);

/* sequence-quality.c: against a reference; and of the reference itself. */
Quality     quality_of      (const Key *key, const CountPlane *plane, const Shift *found);
/* The standard deviation of most pixels. */
gdouble     quality_noise   (const CountPlane *plane);
/* NULL: the frame is good enough. */
gchar      *quality_fault   (const QualityCut *cut, const Quality *quality);
/* "stars>=20,seeing<=4,sky<=900,transparency>=0.5", each once or not at all; NULL: no cut.  FALSE: it is none. */
gboolean    quality_parse   (const gchar *text, QualityCut *cut);

/* Where frames lie against one another. */
typedef struct
{
  Sequence   *sequence;
  gint        group;            /* that the key was looked for in */
  Key        *key;              /* a frame that most others of its group agree with; NULL: there was none yet */
  FrameShift  at;               /* of the key, ... */
  gdouble     light;            /* ... and its stars', against the first key of the chain */
  gint        last;             /* frame whose turn is known; negative: none */
  gdouble     turned, rate;     /* degrees, and degrees a frame since another one */
  gint        chain;            /* frames of another chain have no place against one another */
} Places;

/* A frame on its way from its file to its block. */
typedef struct
{
  CountPlane  plane;            /* as of sequence_frame; pixels NULL: it cannot be used, ... */
  GError     *reason;           /* why it is left out */
  FrameFacts  facts;
  TesseraKept *kept;           /* on the device */
  Shift       found;
  Turn        turn;
  gdouble     applied;          /* degrees that the plane is turned back by */
  Quality     quality;
  FrameShift  shift;            /* its place, ... */
  gint        chain;
  gboolean    has_place;        /* ... if it has one */
} Arrived;

/* sequence-places.c: of n frames of one group from `index` on; groups come in their order. */
void        places_find     (Places *places, gint index, gint n, Arrived *frames);
void        places_clear    (Places *places);

/* sequence-ahead.c: frames `first` to before `end`, one after the other.  Those that come next are read, prepared and placed on another thread. */
typedef struct _Ahead Ahead;

Ahead      *ahead_new       (Sequence *sequence, gint first, gint end);
/* The frame's plane and reason are the caller's. */
void        ahead_next      (Ahead *ahead, Arrived *frame);
void        ahead_free      (Ahead *ahead);

/* sequence-held.c: the frames of a chain that are held: those around the next one to judge. */
typedef struct
{
  GArray                 *frames;       /* PlacedFrame, the oldest first: counts, objects removed from those judged */
  const SequenceSettings *settings;
  gint                    now;          /* the next one to judge */
} Held;

void        placed_clear    (gpointer data);
/* Frames on each side of one that have to be there for it, if there are so many. */
gint        held_before     (const SequenceSettings *settings);
gint        held_after      (const SequenceSettings *settings);
void        held_init       (Held *held, const SequenceSettings *settings);
void        held_clear      (Held *held);
/* No frames are held any more. */
void        held_forget     (Held *held);
/* The oldest one goes when there are too many.  A frame that is not judged only predicts others. */
void        held_add        (Held *held, const PlacedFrame *frame, gboolean is_judged);
/* The next one to judge.  NULL: it is not there, or not enough that follow; `is_last`: none follow. */
PlacedFrame *held_next      (Held *held, gboolean is_last);
/* What predicts it, and itself.  n 0: nothing does. */
void        held_history    (const Held *held, const PlacedFrame *now, WhitenFrames *frames);
/* All that are not screened; FALSE: there is none. */
gboolean    held_needs_screen (const Held *held);
void        held_screen     (Held *held, const CountPlane *background, FrameShift at);
/* The frame before it that alone predicts it; NULL: there is none, or there are others. */
PlacedFrame *held_alone     (const Held *held, const PlacedFrame *now, const WhitenFrames *frames);

/* sequence-clean.c.
 *
 * Where half of the history has not seen the sky, a star is as new as an object: there is neither in `filtered`. */
void        clean_new_sky   (const WhitenFrames *frames, CountPlane *filtered);
/* Where not all of the history has seen the sky, what is left of stars goes. */
void        clean_around    (CountPlane *filtered, gint x, gint y);
void        clean_rim       (const WhitenFrames *frames, const WhitenPlanes *planes, CountPlane *filtered);
/* From which number on a pixel is full: `saturation`, or less where many of this frame end at one number. */
gfloat      clean_full      (const CountPlane *plane, gfloat saturation);
/* Streaks and rays go from `filtered` and from the frame, bad columns from `filtered`, and streaks that are as wide as a star become rows.  `alone`: as of held_alone; its trails, which are dark, go too.  Returns
 * the number of rays, and of streaks that are thinner. */
gint        clean_trails    (const Sequence *sequence, const WhitenPlanes *planes, PlacedFrame *alone, PlacedFrame *now, gdouble seeing, CountPlane *filtered, GString *rows);
/* Is what is there left of a star, or of how a bright one beside it was turned back?  So it is in no detection, and goes from the plane that tracks are looked for in. */
gboolean    clean_is_star   (const WhitenPlanes *planes, gboolean is_turned, gint x, gint y);
void        clean_stars     (const WhitenPlanes *planes, gboolean is_turned, CountPlane *filtered);
/* sequence-wide.c: what is much wider than a star goes. */
void        clean_wide      (CountPlane *filtered);
/* sequence-clean.c: objects go from the frame; stars stay. */
void        clean_objects   (const WhitenPlanes *planes, PlacedFrame *now, const CountPlane *filtered, gfloat threshold);

/* sequence-block.c: the lines of a block's file.  NULL: a file cannot be written. */
GString    *block_make      (Sequence *sequence, gint block, GError **error);
/* Seconds that this process has spent adding frames along velocities. */
gdouble     block_track_seconds (void);

/* sequence-rows.c: rows of tables, as text. */
typedef enum { FRAME_USED, FRAME_FIRST, FRAME_UNREADABLE, FRAME_LOST } FrameState;

typedef struct
{
  gint       index, chain, pixels, n, degree, detections, rays;
  gint       n_alone;           /* of these, of no track; not in a block's file */
  FrameState state;
  gdouble    x, y, error, noise_gain, threshold;
  gdouble    gain;              /* that frames before it show; 0: it is not known, or was given */
  gdouble    angle, angle_error;        /* x and y are of its plane turned back by `angle`; angle_error NaN: not known */
  FrameFacts facts;             /* without what is said of the sky, ... */
  SkyState   sky;               /* ... which is this */
  Quality    quality;
  gchar     *name, *reason;
} FrameRow;

/* Else it is left out, and has no place. */
static inline gboolean
row_is_used (const FrameRow *row)
{
  return row->state == FRAME_USED || row->state == FRAME_FIRST;
}

/* x and y in pixels of the frame; NaN where there is no such number. */
typedef struct
{
  gint    index, frames;        /* frames: that were added; 1 of a detection */
  gdouble x, y, v_x, v_y, value, flux, ra, dec;         /* a track's flux is not in a block's file */
  gint    track;                /* -1: none; not in a block's file */
  gboolean is_still;            /* of what looks like a track: it has not moved by the width of a star */
} ObjectRow;

/* sequence-numbers.c: behind what parts it from the number before, with the same digits in every language; nothing
 * where it is no number. */
void        row_add_number  (GString *text, gchar before, const gchar *format, gdouble number);
void        row_add_frame   (GString *text, const FrameRow *row);
/* Of pictures of this size; nothing where it is not turned. */
void        row_add_turn    (GString *text, const FrameRow *row, gint width, gint height);
/* Nothing where it is 0. */
void        row_add_gain    (GString *text, const FrameRow *row);
void        row_add_object  (GString *text, const ObjectRow *row);
void        row_add_streak  (GString *text, gint index, const Streak *streak);
/* Of a search over so many frames. */
void        row_add_search  (GString *text, gint index, gint frames, gdouble threshold);
/* The last frame before a block's first that had a place, in the block's chain; -1: there is none. */
void        row_add_overlap (GString *text, gint index, FrameShift at, gint chain);
/* How that frame is turned. */
void        row_add_overlap_turn (GString *text, gint index, gdouble angle);
/* The light of stars of the last frame before that shows them. */
void        row_add_light   (GString *text, gint index, gdouble light);
/* What the header of a frame says of the sky. */
void        row_add_solved  (GString *text, gint index, const FrameFacts *facts);

typedef struct
{
  gint   index;
  Streak streak;
} StreakRow;

typedef struct
{
  GArray *frames, *detections, *tracks;         /* FrameRow, ObjectRow, ObjectRow */
  GArray *solved;               /* frames that say where in the sky they lie; sequence-solved.c */
  GArray *still;                /* ObjectRow: no tracks */
  GArray *streaks;              /* StreakRow */
  GArray *searches;             /* gdouble: the threshold of each search for tracks */
  gint    n_tracks;             /* objects; of each there are some rows */
  gdouble cadence;              /* as in Sequence */
  gint    width, height;        /* of frames; 0: none is turned */
} Tables;

void        tables_init     (Tables *tables);
void        tables_clear    (Tables *tables);
/* Adds a block; its chains are joined to those before.  FALSE: the text is no block's. */
gboolean    tables_add      (Tables *tables, const gchar *text);

/* sequence-alarms.c: thresholds, and what was chosen. */
gfloat      frame_threshold  (const Sequence *sequence, const CountPlane *significance, const CountPlane *filtered, gboolean has_trails);
gfloat      search_threshold (const Sequence *sequence, const TrackFrame *frames, gint n, const TrackGrid *grid);
/* Frames between searches for fast objects: some searches for short tracks, so that no frame is in two; there are searches. */
gint   sequence_fast_every   (const SequenceSettings *settings);
/* The least, the median and the largest; NaN where there is none. */
typedef struct
{
  gdouble least, median, most;
} Thresholds;

Thresholds  tables_thresholds (const Tables *tables, gboolean of_searches);

/* The median of the frames; 0: it is not known. */
gdouble     tables_gain      (const Tables *tables);

/* sequence-level.c: where a place of a frame lies when that is turned back, and the other way round. */
Point       level_place     (const Tables *tables, const FrameRow *frame, gdouble x, gdouble y);
Point       level_back      (const Tables *tables, const FrameRow *frame, gdouble x, gdouble y);
/* How the middle of the picture has moved. */
Point       level_shift     (const FrameRow *frame);
gboolean    level_is_turned (const Tables *tables);
/* Degrees by which the field turns, over all chains. */
gdouble     level_turned    (const Tables *tables);
/* Says by how much the field turns, and for how many frames that is not known. */
void        level_tell      (const Tables *tables);

/* sequence-solved.c */
GArray     *solved_new      (void);
/* The nth that is solved.  NULL: it is not used. */
const FrameRow *solved_frame (const Tables *tables, gint n, Sky **sky);
void        solved_add      (GArray *solved, gchar **words);

/* Seconds of arc that a place moves by, with an error of a pixel on each axis. */
typedef struct
{
  gdouble ra, dec;              /* ra: along the sky, not along the equator */
} PixelSize;

/* sequence-quality.c: how much light frames have, once all blocks are there. */
void        tables_judge      (Tables *tables);
/* Places of those that have none by their own frame, once all blocks are there. */
void        tables_place      (Tables *tables);
/* How an object moves in the sky: seconds of arc in a minute, degrees from north over east.  NaN: not known. */
typedef struct
{
  gdouble rate, angle;
} Motion;

Motion      tables_motion     (const Tables *tables, const ObjectRow *row);
/* NaN: no frame of the row's chain says where it lies. */
PixelSize   tables_pixel_size (const Tables *tables, const ObjectRow *row);

/* sequence-link.c: gives tracks their numbers and the median flux of their detections, and detections the velocity of
 * their track. */
void        tables_link     (Tables *tables);
/* sequence-times.c: what passes from frame to frame, in frames of the cadence.  `frames`: as many as numbers say. */
gdouble     times_cadence   (const FrameList *list);
gdouble     times_passed    (gdouble cadence, gint frames, gdouble seconds);
gdouble     times_between   (const Sequence *sequence, gint from, gint to);
gdouble     tables_between  (const Tables *tables, gint from, gint to);
/* NULL where the frame has no row. */
const FrameRow *tables_frame (const Tables *tables, gint index);
/* A finer grid where time between the frames is longer than their number.  FALSE: much longer. */
gboolean    times_grid      (const Sequence *sequence, gint from, gint to, TrackGrid *grid);

#define REPORT_MOST_TRACKS 1000000      /* numbers of tracks have six digits */
#define REPORT_LATEST      1e11         /* seconds from 1970: years have four digits */
#define REPORT_NO_CODE     "XXX"

/* What reports say beside what the files say. */
typedef struct
{
  const gchar *observatory, *catalogue, *band;          /* NULL: not given; so are those */
  const gchar *submitter, *observers, *measurers;       /* names, with commas between them */
  const gchar *telescope;                               /* design, aperture in metres, detector */
  gdouble      zero_point, fwhm;                        /* zero_point NaN: what the files say */
  gdouble      zero_error;                              /* of what a catalogue shows; NaN: of none */
  gint         stack;
} ReportSettings;

/* A track, as it is reported.  Numbers that are not known are NaN. */
typedef struct
{
  gint     track;
  gboolean is_whole;            /* it has a place and a time */
  gdouble  ra, dec, middle, exposure, significance;
  gdouble  rms_ra, rms_dec;     /* seconds of arc along the sky */
  gdouble  magnitude, rms_magnitude;
  gchar    band[FRAMES_BAND];   /* "": not known */
} Observation;

/* sequence-report.c: `report_tell` says in words what is missing, and what that costs. */
Observation report_observation (const Tables *tables, const ObjectRow *row, const ReportSettings *settings);
void        report_tell        (const Tables *tables, const ReportSettings *settings);

/* sequence-zero.c: stars of a file of lines, whose first names the columns ra, dec (degrees, ICRS) and mag; separated by commas, semicolons, tabs,
 * bars or single blanks.  NULL: it is none. */
GArray     *zero_catalogue     (const gchar *path, GError **error);
/* What these show of a chain of frames.  NaN: nothing that is believed. */
typedef struct
{
  gint    chain, stars, frames;
  gdouble zero, error;
} ZeroPoint;

/* Of each chain.  Sets those of the frames in place of what the files say, and the largest error, and says them, or why there is none. */
GArray     *zero_find          (Sequence *sequence, Tables *tables, const GArray *catalogue, ReportSettings *report);

/* sequence-ades.c: PSV, of whole observations. */
void        ades_begin      (GString *text, const ReportSettings *settings);
void        ades_add        (GString *text, const Observation *seen, const ReportSettings *settings);

/* sequence-write.c, sequence-plots.c, sequence-pictures.c: into the folder; each file whole or not at all. */
gboolean    tables_write    (const Tables *tables, const gchar *folder, const ReportSettings *settings, GError **error);
/* sequence-panels.c: quality.svg, and the same as a part of a page. */
gboolean    panels_write    (const Tables *tables, const gchar *folder, GError **error);
void        panels_add      (GString *text, const Tables *tables);
/* sequence-page.c: report.html, once pictures are there.  `list` NULL: files that were dropped are not known. */
gboolean    page_write      (const Tables *tables, const gchar *folder, const FrameList *list, const ReportSettings *settings, GError **error);
gboolean    plots_write     (const Tables *tables, const gchar *folder, GError **error);
gint        pictures_write  (Sequence *sequence, const Tables *tables, gint most, GError **error);

/* sequence-folder.c: the folder of results.  Its settings are those of the run that began it; another's are an error, but frames may have followed. */
gboolean    folder_open     (Sequence *sequence, GError **error);
/* Is it done, with the frames that are there now?  FALSE with an error: with others. */
gboolean    folder_has      (Sequence *sequence, gint block, GError **error);
gboolean    folder_keep     (const Sequence *sequence, gint block, const GString *text, GError **error);
gchar      *folder_plane    (const gchar *folder, WriteKind kind, gint index);
gchar      *folder_block    (const gchar *folder, gint block);
/* Takes the blocks of other folders with the same settings, which then have a number of `frames` and of a `block`. */
gboolean    folder_merge    (const gchar *folder, gchar **parts, GError **error);
/* Of the settings; 0: there is none of that name. */
gint        folder_number   (const gchar *settings, const gchar *name);
gdouble     folder_value    (const gchar *settings, const gchar *name);
/* A file, by way of one beside it that the next try takes again. */
gboolean    folder_write    (const gchar *path, const gchar *text, gssize length, GError **error);

/* sequence-sky.c: a line of 80 characters in the format of the Minor Planet Center, without its end, of a whole
 * observation. */
gchar      *sky_report      (const Observation *seen, const gchar *observatory);

#endif
